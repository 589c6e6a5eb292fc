"""What the compiled loops are made of: drawing, random numbers, rows updated in place, loops over tokens."""
