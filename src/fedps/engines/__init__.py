"""What the Flower and NVFLARE adapters share."""
