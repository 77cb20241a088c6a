"""Script blocks of components are read as TypeScript, at their own lines."""

from __future__ import annotations

from plait import plugins
from plait.facts import ParsedFile
from plait.model import SourceFile
from plait.source.languages import language

COMPONENT = """<template>
  <p @click="open()">größer</p>
</template>

<script setup lang="ts">
import { load } from "./load";

function open(): void {
  load();
}
</script>

<style>
p { color: red }
</style>
"""


def test_a_component_has_the_functions_of_its_script() -> None:
    spoken = language("a/Cart.vue")
    assert spoken == language("a/Cart.svelte") == "typescript"
    found = plugins.build("parser", spoken).parse(SourceFile("a/Cart.vue", spoken, COMPONENT, ""))
    assert isinstance(found, ParsedFile)
    assert [(one.name, one.span.start_line, one.span.end_line) for one in found.symbols[1:]] == [("open", 8, 10)]
    assert [(one.name, one.line, one.column) for one in found.references] == [("load", 9, 2)]
    assert [one.module for one in found.imports] == ["./load"]
    assert found.symbols[0].own[0].start_line == 1
