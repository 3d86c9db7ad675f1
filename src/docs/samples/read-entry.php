<?php
require_once 'read-code.php';

/**
 * The code in what a customer sends, such as a line, a sentence or a link, with the unit behind it and the token of a private address.
 * @return array{code: string, unit: string, share: string}
 * @throws InvalidArgumentException with the registry's own name of the fault.
 */
function read_entry(string $text): array {
    $text = (string) Normalizer::normalize(mb_substr($text, 0, 2000), Normalizer::FORM_KC);
    // What may stand between the characters of a code: spaces, dashes, dots, underscores, plus signs, slashes, and invisible characters.
    $between = '[\p{Z}\s\p{Pd}\p{Cf}\x{2043}\x{2212}\x{FE00}-\x{FE0F}_.+\/]*';
    $pattern = "/(?<![\\p{L}\\p{Nd}])\\p{L}$between\\p{L}(?:{$between}[,:;~=|]?{$between}\\p{Nd}){5}(?:{$between}\\p{Nd}){4}(?!\\p{Nd})/u";
    preg_match_all($pattern, $text, $matches, PREG_OFFSET_CAPTURE);
    $valid = $faults = [];
    foreach ($matches[0] as [$written, $offset]) {
        try {
            $valid[read_code((string) preg_replace('/[^\p{L}\p{Nd}]/u', '', $written))] ??= substr($text, $offset + strlen($written));
        } catch (InvalidArgumentException $fault) {
            $faults[$written] = $fault;
        }
    }
    // Two codes are no answer.
    if (count($valid) !== 1) throw count($valid) + count($faults) === 1 ? current($faults) : new InvalidArgumentException('MALFORMED_CODE');
    $code = (string) array_key_first($valid);
    $isLink = preg_match('~/a/[^?#\s]*(?:\?([^#\s]*))?~', $text, $link) === 1;
    parse_str($link[1] ?? '', $query);
    $behind = !$isLink && preg_match('~^[ \t]{0,9}/(.{0,200})~u', $valid[$code], $found) ? $found[1] : '';
    $unit = $query['unit'] ?? preg_split('~[,;:!?"*|()]| [/-] |\. ~', $behind)[0];
    $spelled = preg_replace_callback('/\p{Nd}/u', fn($digit) => IntlChar::digit($digit[0], 10), preg_replace('/\s/u', '', $unit));
    return ['code' => $code, 'unit' => mb_strtoupper($spelled), 'share' => $query['share'] ?? ''];
}
