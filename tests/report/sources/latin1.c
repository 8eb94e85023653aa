/* Grüße: Latin-1, not UTF-8 */
int grüße(int *p)
{
    int wert = 0; /* über */ wert = *p;
    return wert;
}
