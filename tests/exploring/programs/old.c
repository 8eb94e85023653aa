/* Functions without prototypes: arguments are ints, and so are results. */
char input[8];

int is_wanted();

int main() {
    int count = read(0, input, 2);
    return is_wanted(input[0], input[1]) ? 4 : count;
}

int is_wanted(c, d)
int c, d;
{
    return c == 'A' && d > 5;
}
