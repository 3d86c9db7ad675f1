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
