<?php // webhook-receiver.php: php -S 0.0.0.0:3000 webhook-receiver.php &
$key = base64_decode(str_replace('whsec_', '', getenv('WEBHOOK_SECRET')));
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '0';

$wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
$genuine = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
    $genuine = hash_equals($wanted, $signature) || $genuine;
}
if (!$genuine || abs(time() - (int) $time) >= 300) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true);
file_put_contents('php://stdout', "$id {$event['eventType']} {$event['id']}\n");
http_response_code(204);
