"""What is made of the answers of clients before they are merged."""
