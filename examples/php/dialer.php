<?php // Calls the numbers of a list, one after the other: php dialer.php numbers.txt
function ask(string $path, ?array $body = null, array $headers = []): array
{
    $context = stream_context_create(['http' => [
        'method' => $body === null ? 'GET' : 'POST',
        'header' => ['Authorization: ' . getenv('TOKEN'), 'Content-Type: application/json', ...$headers],
        'content' => $body === null ? '' : json_encode($body),
        'ignore_errors' => true,
    ]]);
    for (;;) {
        $answer = file_get_contents(getenv('API') . $path, false, $context);
        $received = implode("\n", $http_response_header);
        if (!preg_match('/^HTTP\S* (429|503)/', $received)) {
            return json_decode($answer, true);
        }
        sleep(preg_match('/^retry-after: (\d+)/mi', $received, $after) ? (int) $after[1] : 1);
    }
}

foreach (file($argv[1], FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES) as $number) {
    $wanted = ['extension' => getenv('EXTENSION') ?: '1000', 'called' => $number];
    $placed = ask('/calls', $wanted, ['Idempotency-Key: ' . bin2hex(random_bytes(16))]);
    if (isset($placed['error'])) {
        echo "$number {$placed['error']['code']}\n";
        continue;
    }
    do {
        sleep(2);
        $call = ask("/calls/{$placed['id']}");
    } while ($call['status'] !== 'ended');
    echo "$number {$call['hangup_cause']} {$call['duration']}\n";
}
