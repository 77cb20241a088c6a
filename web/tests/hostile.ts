/** A repository whose names, files, strings and comments try to become markup, to leave their place, or to lie. */

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const NAME = "<img src=x onerror=window.pwned=1>";

const PYTHON = `"""</pre><script>window.pwned = 1</script> & <b>bold</b> {{7*7}} \${7*7}"""


def script_alert(text):
    """<script>window.pwned = 1</script><img src=x onerror="window.pwned = 1">

    javascript:window.pwned=1
    """
    # </code></pre><svg onload=window.pwned=1> <a href="javascript:window.pwned=1">
    return "<iframe srcdoc='<script>parent.pwned=1</script>'>" + reordered(text) + missing[text]()


def reordered(text):
    access = "user\u202e \u2066// Check if admin\u2069 \u2066"
    return text
`;

const SCRIPT = `class Box {
  "<script>window.pwned=1</script>"() { return this["\\" onmouseover=window.pwned=1 x=\\""](); }
  '" onmouseover=window.pwned=1 x="'() { return 1; }
}
function caller() { return new Box()["<script>window.pwned=1</script>"](); }
`;

export function hostile(): string {
  const folder = mkdtempSync(join(tmpdir(), "plait-hostile-"));
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, `${NAME}.py`), PYTHON);
  writeFileSync(join(folder, "sub", "names.js"), SCRIPT);
  return folder;
}
