"""From a commit's message to a question, or to the reason that it is none."""

from __future__ import annotations

import re
from collections.abc import Mapping

from plait.mining.question import one_line, words

LEAST, MOST = 4, 30
"""Words of a question. Fewer say too little to be looked for, more are a description of the whole change."""

_NUMBER = re.compile(
    r"(?:[\w.-]+/[\w.-]+)?#(\d+)\b|\b(?:GH|gh|bpo|BUG|issue|Issue|PR)-?\s?(\d+)\b|https?://\S+/(\d+)\b"
)
_NOISE = (
    re.compile(
        r"\(\s*(?:(?:closes?|fix(?:e[sd])?|resolves?|refs?|see|via|in|re|part of|backport of)?:?\s*"
        r"(?:[\w.-]*/?[\w.-]*#\d+|GH-?\d+|bpo-\d+|PR\s*\d+)[\s,]*(?:and\s*)?)+\)",
        re.IGNORECASE,
    ),
    re.compile(r"\[(?:PR|backport|ci skip|skip ci|\d+(?:\.\w+)+|[\w./-]*#\d+)[^\]]*\]", re.IGNORECASE),
    re.compile(r"https?://\S+"),
    re.compile(
        r"(?:[,;.:-]\s*)?\b(?:closes?|closing|fix(?:e[sd])?|resolves?|refs?|see|via|re|for|from|issues?|tickets?|bugs?|"
        r"PRs?|pull request|and|of|to|in|gh)?:?\s*(?:[\w.-]+/[\w.-]+)?#\d+\b",
        re.IGNORECASE,
    ),
    re.compile(r":[a-z0-9_+-]+:"),
    re.compile(r"[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F]"),
)
_PREFIX = re.compile(
    r"^(?:(?-i:(?!SHA|UTF|RFC|ISO|CVE|AES)[A-Z]{2,10}-\d{3,}):?(?:\s*&)?\s|"
    r"\[[^\]]{1,30}\]|(?:feat|fix|perf|bug|bugfix|hotfix|feature|improvement|enhancement|core|"
    r"update|new|breaking|change|patch)(?:\([^)]{1,40}\))?!?:)\s*",
    re.IGNORECASE,
)

_NO_QUESTION = re.compile(
    r"^(?:chore|docs?|style|refactor(?:ing)?|tests?|build|ci|release|revert|deps?|bench(?:mark)?s?|lint|types?|typing|"
    r"meta|misc|doc|examples?)\b(?:\([^)]*\))?!?:",
    re.IGNORECASE,
)
_NO_WORK = re.compile(
    r"\b(?:merge[ds]?|merging|revert(?:s|ed|ing)?|bump(?:s|ed|ing)?|releas(?:e|es|ed|ing)|changelogs?|"
    r"typos?|misspell\w*|spelling|grammar|lint(?:er|ing|s)?|flake8|pylint|pyflakes|mypy|pyright|ruff|isort|eslint|"
    r"prettier|gofmt|golint|golangci\S*|rubocop|checkstyle|spotless|black|reformat\w*|re-?format|formatting|"
    r"white-?space|indent(?:s|ation)?|pep-?\d+|pre-?commit|pyupgrade|2to3|f-?strings?|code style|stylistic|"
    r"coding style|doc-?strings?|documentation|docs|javadocs?|godoc|readme|comments?|copyright|licen[sc]es?|"
    r"refactor(?:s|ed|ing|ings)?|clean(?:s|ed|ing)?[ -]?ups?|cleaning|tid(?:y|ied|ying)|simplif\w+|nits?|cosmetic\w*|"
    r"renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|reorgani[sz]\w*|restructur\w*|split(?:s|ting)? (?:up|out|into)|"
    r"extract(?:s|ed|ing)? (?:method|function|helper|class|to|into|out)|inline[sd]?|dedupe?|deduplicat\w*|"
    r"type[ -]?(?:hint|annot|check|ignore)\w*|typing|annotat\w+|stubs?|generics?|modernis?z?\w*|"
    r"unused|dead code|redundant|unnecessary|obsolete|leftovers?|boilerplate|"
    r"tests?|testing|unit-?tests?|coverage|ci|travis|appveyor|codecov|tox|pytest|"
    r"review|feedback|wip|todo|fixme|oops|whoops|final touch\w*|minor|misc|tweaks?|various|several|some more|"
    r"vendor(?:s|ed|ing)?|dependenc(?:y|ies)|upgrade|requirements?|pin(?:s|ned|ning)?|submodules?|"
    r"py(?:thon)? ?[23](?:\.\d+)?\+?|drop(?:s|ped|ping)? support|end of life|eol|compat|six|"
    r"cherry[ -]?pick\w*|backport\w*|sync(?:s|ed)? with upstream|initial commit|first commit|code review|"
    r"benchmarks?|examples?|warnings? in|deprecat\w+|deprecations?|pom|optional|typevars?|types? to|"
    r"versions? (?:to|in|number|\d)|(?:to|for) (?:v|version )\d\S*|compil(?:e|er|ation) warnings?|warnings? fix\w*)\b",
    re.IGNORECASE,
)
_AS_WRITTEN = re.compile(
    r"^(?:\w+: )?(?:us(?:e|es|ed|ing)|prefer\w*|switch\w*)\b.+\b(?:instead of|rather than|over|replace)\b|"
    r"^(?:\w+: )?replac(?:e|es|ed|ing)\b.+\b(?:with|by)\b|^(?:\w+: )?(?:sync|document)(?:s|ed|ing)?\b|"
    r"^updat(?:e|es|ed|ing) \S+$|\b(?:remov|sync|old|legacy|same|nicer|better|cleaner|duplicate)\w*\s"
    r"(?:\w+\s)?codes?\b|"
    r"\b(?:for|with) (?:consistency|clarity|legibility)\b|\bmore (?:consistent|explicit|clear|pythonic)\b|"
    r"\b[EWFCR]\d{3,4}\b|\b(?:clarif\w+|idiom\w*|pythonic|readab\w+|unread\w+ code|naming|names? of variables?|"
    r"variable names?|camel[ _-]?case|snake[ _-]?case|new name|parenthes[ei]s|nested ifs?|(?:un)?nest(?:ed|ing) of|"
    r"if/else|literals|unneeded|needless|superfluous|pointless|already covered|debug(?:ging)? print\w*|"
    r"print statem\w+|eclipse|intellij|pydev|sonar\w*|clippy|rustfmt|clang-?\w+|errorprone|findbugs|spotbugs|phpstan|"
    r"psalm|php-?cs\w*|cs[ -]?fix\w*|javac|gcc|msvc|min(?:imum)? (?:\w+ )?version|go ?1\.\d+|jdk\S*|msrv|"
    r"(?:a |some )?notes?|links?|not used|duplicat\w+|re-?us(?:e|ing) (?:of )?\S+\(\)|"
    r"fix(?:e[sd])? (?:the )?(?:compil\w+|build)|"
    r"constantize|magic (?:value|number)s?|(?:second|third|last) commit|suggestions?|return types?|"
    r"type of \w+ argument|super\(\)|accessors?|semicolons?|single quotes)(?!\w)",
    re.IGNORECASE,
)
"""Changes of how the code is written: nobody would look for the place by them."""

_VAGUE = re.compile(
    r"^(?:(?:more|another|some|few|small|little|update[sd]?|fix(?:e[sd])?|fixing|improve[sd]?|change[sd]?|make|use|better|"
    r"the|a|an|of|for|in|to|and|this|that|it|bugs?|issues?|problems?|errors?|things?|stuff|code|work(?:s|ing)?|again|"
    r"properly|correctly|support|add(?:s|ed)?|remove[sd]?|here|there|also|all|new|not|is|on|with|up|out|now|really|again)\s*)+$",
    re.IGNORECASE,
)
_POINTING = re.compile(r"^(?:this|it|that|these|those|also|same|another|as discussed|attempt|try)\b", re.IGNORECASE)
_CITED = re.compile(r"Merge pull request #(\d+)[^\n]*\n+([^\n]+)")


def cited_title(message: str) -> tuple[str, str] | None:
    """Return number and title of the pull request that a merge brings in."""
    found = _CITED.match(message)
    return (found[1], found[2]) if found else None


def question(message: str, titles: Mapping[str, str]) -> str | None:
    """Return what the message asks for, on one line; None if it asks for nothing that can be looked for.

    It is the subject without numbers and marks, or the title of the one issue or pull request that a message without a
    subject of its own cites; `titles` are those known, by number.
    """
    subject = message.strip().partition("\n")[0]
    text = _cleaned(subject)
    if text is not None and _says_something(text):
        return text
    if text is None:
        return None
    cited = {number for found in _NUMBER.findall(message) for number in found if number}
    if len(cited) == 1 and (title := titles.get(cited.pop())):
        other = _cleaned(title)
        return other if other is not None and _says_something(other) else None
    return None


def _cleaned(subject: str) -> str | None:
    """The subject in plain words; None if the change is not about behaviour."""
    if _NO_QUESTION.match(subject):
        return None
    text = subject
    for noise in _NOISE:
        text = noise.sub(" ", text)
    while found := _PREFIX.match(text.strip()):
        text = text.strip()[found.end() :]
    text = one_line(text.replace("`", "").replace("\x00", " ")).strip(" .,:;-–—*|()[]")
    if _NO_WORK.search(text) or _AS_WRITTEN.search(text) or text.endswith(("…", "..")):
        return None
    return text


def _says_something(text: str) -> bool:
    said = words(text)
    return LEAST <= len(said) <= MOST and not _VAGUE.match(" ".join(said)) and not _POINTING.match(text)
