"""The engine ``binary``: an unchanged program, executed by a tool on Valgrind's core."""
