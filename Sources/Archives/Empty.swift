// Archives
