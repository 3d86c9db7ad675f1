import re
import unicodedata
import urllib.parse

from read_code import read_code

# What may stand between the characters of a code: spaces, dashes, dots, underscores, plus signs, slashes, and invisible characters.
BETWEEN = r"[\s_.+/\-\u00ad\u200b-\u200f\u2010-\u2015\u2043\u2060-\u2064\u2212\ufe00-\ufe0f\ufeff]*"
LETTER = r"[^\W\d_]"
CODE = re.compile(rf"(?<![^\W_]){LETTER}{BETWEEN}{LETTER}(?:{BETWEEN}[,:;~=|]?{BETWEEN}\d){{5}}(?:{BETWEEN}\d){{4}}(?!\d)")


def read_entry(text: str) -> tuple[str, str, str]:
    """
    The code in what a customer sends, such as a line, a sentence or a link, with the unit behind it and the token of a private address.
    Raises ValueError with the registry's own name of the fault.
    """
    text = unicodedata.normalize("NFKC", text[:2000])
    found = {}
    for match in CODE.finditer(text):
        try:
            found.setdefault(read_code(re.sub(r"[\W_]", "", match.group())), text[match.end() :])
        except ValueError as fault:
            found[match.group()] = fault
    valid = {code: rest for code, rest in found.items() if isinstance(rest, str)}
    if len(valid) != 1:
        # Two codes are no answer, and what has none is judged as a whole.
        raise list(found.values())[0] if len(found) == 1 else ValueError("MALFORMED_CODE")
    [(code, rest)] = valid.items()
    link = re.search(r"/a/[^?#\s]*(?:\?([^#\s]*))?", text)
    query = urllib.parse.parse_qs(link.group(1) or "") if link else {}
    behind = "" if link else re.match(r"[ \t]{0,9}/(.{0,200})|", rest).group(1) or ""
    unit = query.get("unit", [re.split(r"[,;:!?\"*|()]| [/\-] |\. ", behind)[0]])[0]
    spelled = "".join(str(unicodedata.decimal(one, one)) for one in unit if not one.isspace())
    return code, spelled.upper(), query.get("share", [""])[0]
