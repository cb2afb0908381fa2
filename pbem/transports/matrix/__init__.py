"""Be the post that a Matrix homeserver carries: a private room for each player; `post.Matrix` is the transport."""
