// Keeps the plugins target non-empty.
