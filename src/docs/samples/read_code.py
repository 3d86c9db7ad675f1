import re
import unicodedata

# Beside spaces, dashes and format characters: dots, underscores, plus signs, line ends, and what Unicode says to ignore.
SEPARATORS = re.compile("[_.+\t-\r\x85\u2043\u2212\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0000-\U000e0fff]")


def check_digit_fits(code: str) -> bool:
    """Whether the check digit of a code of two letters and nine digits fits the rest (ISO 7064 MOD 11-2)."""
    product = 0
    for character in code[:-1]:
        # 0 to 9 are themselves; A is 10, B is 11, and so on to Z, which is 35.
        product = (product + int(character, 36)) * 2 % 11
    return (product + int(code[-1])) % 11 == 1


def read_code(text: str) -> str:
    """The canonical code in a text of any spelling, such as NG137748215. Raises ValueError with the registry's own name of the fault."""
    characters = []
    for character in unicodedata.normalize("NFKC", text[:200]):
        category = unicodedata.category(character)
        if category in ("Zs", "Zl", "Zp", "Pd", "Cf") or SEPARATORS.match(character):
            continue
        # Digits of every script are read. No letter is ever taken for a digit.
        characters.append(str(unicodedata.decimal(character)) if category == "Nd" else character)
    code = "".join(characters)
    code = re.sub("[a-z]", lambda letter: letter.group().upper(), code)
    if not re.fullmatch("[A-Z]{2}[0-9]{9}", code):
        raise ValueError("MALFORMED_CODE")
    if not check_digit_fits(code):
        raise ValueError("BAD_CHECK_DIGIT")
    return code
