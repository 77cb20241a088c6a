"""The part of SCIP's protobuf schema that plait reads and writes, and the only place that knows protobuf.

The messages are described here and built when they are first used, in a pool of their own: no generated code, so no
tie between its version and the version of protobuf that is installed. Fields that are not described are passed over.
Numbers are those of `scip.proto` in github.com/sourcegraph/scip (e1e47bf); its enums are integers on the wire.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from plait.errors import MissingExtra

UTF8, UTF16, UTF32 = 1, 2, 3
"""`position_encoding` of a document: the unit in which columns are counted; 0 does not say."""

DEFINITION = 1
"""bit of `symbol_roles`"""

_MESSAGES = {
    "Index": "metadata 1 Metadata, documents 2 Document*, external_symbols 3 SymbolInformation*",
    "Metadata": "tool_info 2 ToolInfo, project_root 3 string, text_document_encoding 4 int32",
    "ToolInfo": "name 1 string, version 2 string",
    "Document": (
        "relative_path 1 string, occurrences 2 Occurrence*, symbols 3 SymbolInformation*, language 4 string,"
        " text 5 string, position_encoding 6 int32"
    ),
    "Occurrence": "range 1 int32*, symbol 2 string, symbol_roles 3 int32, enclosing_range 7 int32*",
    "SymbolInformation": "symbol 1 string, relationships 4 Relationship*, kind 5 int32, display_name 6 string",
    "Relationship": "symbol 1 string, is_reference 2 bool, is_implementation 3 bool",
}
_PACKAGE = "plait.scip"


@cache
def index_message() -> type[Any]:
    """Return the class of the message `Index`. Raises MissingExtra without protobuf."""
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        raise MissingExtra("a SCIP index", "protobuf", "scip") from None
    kinds = descriptor_pb2.FieldDescriptorProto
    simple = {"string": kinds.TYPE_STRING, "int32": kinds.TYPE_INT32, "bool": kinds.TYPE_BOOL}
    file = descriptor_pb2.FileDescriptorProto(name="plait/scip.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for described in fields.split(","):
            label, number, sort = described.split()
            field = message.field.add(name=label, number=int(number))
            field.label = kinds.LABEL_REPEATED if sort.endswith("*") else kinds.LABEL_OPTIONAL
            sort = sort.removesuffix("*")
            field.type = simple.get(sort, kinds.TYPE_MESSAGE)
            if sort not in simple:
                field.type_name = f".{_PACKAGE}.{sort}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found: type[Any] = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Index"))
    return found


def decode(content: bytes) -> Any:
    """Return the `Index` in the bytes. Raises ValueError for bytes that are none."""
    made = index_message()()
    from google.protobuf.message import DecodeError

    try:
        made.ParseFromString(content)
    except DecodeError as error:
        raise ValueError(f"not protobuf: {error}") from error
    if not any(document.relative_path for document in made.documents):
        raise ValueError("no document in it")
    return made
