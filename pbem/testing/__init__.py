"""Give authors of games and transports the kit by which the house tests itself."""
