<?php
/** Whether the check digit of a code of two letters and nine digits fits the rest (ISO 7064 MOD 11-2). */
function check_digit_fits(string $code): bool {
    $product = 0;
    foreach (str_split(substr($code, 0, -1)) as $character) {
        // 0 to 9 are themselves; A is 10, B is 11, and so on to Z, which is 35.
        $product = ($product + intval($character, 36)) * 2 % 11;
    }
    return ($product + intval(substr($code, -1))) % 11 === 1;
}

/**
 * The canonical code in a text of any spelling, such as NG137748215. It needs the extension intl.
 * @throws InvalidArgumentException with the registry's own name of the fault.
 */
function read_code(string $text): string {
    $normal = Normalizer::normalize(mb_substr($text, 0, 200), Normalizer::FORM_KC);
    // Spaces, dashes, dots, underscores, plus signs, line ends, and what Unicode says to ignore.
    $ignorable = '\x{034F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180F}\x{3164}\x{FFA0}\x{FE00}-\x{FE0F}\x{E0000}-\x{E0FFF}';
    $code = preg_replace('/[\p{Z}\p{Pd}\p{Cf}\t-\r\x{0085}\x{2043}\x{2212}_.+' . $ignorable . ']/u', '', (string) $normal);
    // Digits of every script are read. No letter is ever taken for a digit.
    $code = preg_replace_callback('/\p{Nd}/u', fn($digit) => IntlChar::digit($digit[0], 10), (string) $code);
    $code = strtr($code, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    if (!preg_match('/^[A-Z]{2}[0-9]{9}$/D', $code)) throw new InvalidArgumentException('MALFORMED_CODE');
    if (!check_digit_fits($code)) throw new InvalidArgumentException('BAD_CHECK_DIGIT');
    return $code;
}
