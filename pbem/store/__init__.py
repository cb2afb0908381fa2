"""Keep everything in SQL, and nothing but SQL here."""
