"""Data as the loops over tokens read them."""
