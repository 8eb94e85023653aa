"""Rules and planes become instrumented IR; one file per concern."""
