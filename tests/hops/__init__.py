"""Programs that move values hop by hop, with the chains that whence should tell of them."""
