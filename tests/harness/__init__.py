"""What the tests of detection share: expectations, building and running, peers."""
