import pytest

from plait.model import Content
from plait.source import reading

C = (
    "int f(const char *typename, int class);\n",
    '/* class A { }; */\nconst char *s = "std::x";\n',
    '#ifdef __cplusplus\nextern "C" {\nclass Db;\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n',
    "#include <stdio.h>\nint a = b & c;\n",
    "",
)
CPP = (
    "class Db;\n",
    "namespace shop {\n}\n",
    "template <class T> T f(T t);\n",
    "struct A {\nprivate:\n  int n;\n};\n",
    "std::string f();\n",
    "#include <vector>\n",
    "struct A { A() = default; };\n",
    "struct A { virtual void f(); };\n",
)


@pytest.mark.parametrize(("spoken", "text"), [*(("c", one) for one in C), *(("cpp", one) for one in CPP)])
def test_a_header_is_of_the_language_that_stands_in_it(spoken: str, text: str) -> None:
    assert reading.made("a/x.h", text.encode(), Content.CODE).language == spoken  # type: ignore[union-attr]


def test_other_suffixes_say_it_themselves() -> None:
    assert reading.made("a/x.hpp", b"int f(void);\n", Content.CODE).language == "cpp"  # type: ignore[union-attr]
    assert reading.made("a/x.c", b"class A;\n", Content.CODE).language == "c"  # type: ignore[union-attr]
