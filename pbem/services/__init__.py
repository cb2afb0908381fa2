"""Do what happens: each function takes a session and the time, and knows no transport."""
