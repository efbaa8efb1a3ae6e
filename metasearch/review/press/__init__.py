"""Reviews of search strategies, as PRESS has them (Peer Review of Electronic Search Strategies)."""
