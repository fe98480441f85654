// A hash is slow on purpose; tests that log in would wait for nothing else.
process.env.PASSWORD_COST ??= "16";
