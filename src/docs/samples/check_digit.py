def check_digit_fits(code: str) -> bool:
    """Whether the check digit of a code of two letters and nine digits fits the rest (ISO 7064 MOD 11-2)."""
    product = 0
    for character in code[:-1]:
        # 0 to 9 are themselves; A is 10, B is 11, and so on to Z, which is 35.
        product = (product + int(character, 36)) * 2 % 11
    return (product + int(code[-1])) % 11 == 1
