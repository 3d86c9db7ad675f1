<?php
require_once 'read-entry.php';

/** Asks the registry. @return array{int, array} the status, 0 where no answer came, and the answer. */
function ask(string $path): array {
    $context = stream_context_create(['http' => ['timeout' => 10, 'ignore_errors' => true]]);
    $answer = @file_get_contents(getenv('REGISTRY') . "/v1/public/addresses/$path", false, $context);
    if ($answer === false) return [0, []];
    preg_match('/ (\d{3})/', $http_response_header[0], $status);
    return [(int) $status[1], json_decode($answer, true) ?? []];
}

/** What a shop's server does with the code of an order: it trusts no page, so it reads and resolves the code itself. */
function delivery_of(array $form): array {
    try {
        // A private address comes with its link. It is resolved now and not stored, because a link ends.
        ['code' => $code, 'unit' => $unit, 'share' => $share] = read_entry(($form['delivery_share'] ?? '') ?: ($form['delivery'] ?? ''));
    } catch (InvalidArgumentException $fault) {
        return ['refused' => $fault->getMessage()];
    }
    $query = $share === '' ? '' : '?' . http_build_query(['share' => $share]);
    // Without a script, the unit may stand behind the code, or in the link.
    $unit = ($form['delivery_unit'] ?? '') ?: $unit;
    [$status, $address] = ask($code . $query);
    $units = [];
    if ($status === 200 && $unit !== '') {
        [$status, $list] = ask("$code/units$query");
        $units = array_column($list['data'] ?? [], 'unit');
    }
    // The registry is away or busy: take the order, and resolve the code when the parcel leaves.
    if ($status === 0 || $status === 429 || $status >= 500) return ['unchecked' => $code, 'unit' => $unit];
    if ($status !== 200) return ['refused' => $address['code'] ?? "status $status", 'successor' => $address['successor'] ?? null];
    // Nothing stands at the address of a test.
    if ($address['test'] ?? false) return ['refused' => 'SANDBOX'];
    // A remark for whoever packs the parcel, and no refusal: the owner may not have listed every flat.
    $unlisted = $units !== [] && !in_array($unit, $units, true);
    $where = array_intersect_key($address, array_flip(['display', 'lat', 'lng', 'label']));
    return $where + ['unit' => $unit, 'unlisted' => $unlisted, 'note' => $form['delivery_note'] ?? null];
}

if (realpath($_SERVER['SCRIPT_FILENAME'] ?? '') === __FILE__) {
    $delivery = delivery_of(['delivery' => $argv[1] ?? 'ng 1377 48215 / 3B']);
    echo json_encode($delivery), "\n";
    exit(isset($delivery['refused']) ? 1 : 0);
}
