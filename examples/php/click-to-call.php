<?php // A button that calls: php -S localhost:3000 click-to-call.php
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    readfile(__DIR__ . '/../click-to-call.html');
    exit;
}
$call = [
    'extension' => getenv('EXTENSION') ?: '1000',
    'called' => $_POST['called'] ?? '',
    'metadata' => ['source' => 'click-to-call'],
];
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['Authorization: ' . getenv('TOKEN'), 'Content-Type: application/json'],
    'content' => json_encode($call),
    'ignore_errors' => true,
]]);
$answer = file_get_contents(getenv('API') . '/calls', false, $context);
preg_match('/ (\d{3})/', $http_response_header[0], $status);
http_response_code((int) $status[1]);
header('Content-Type: application/json');
echo $answer;
