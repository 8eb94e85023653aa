/* Six threads that allocate, resize and free at random. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void*run(void*a){ unsigned s=(unsigned)(long)a; char*v[50]={0}; for(int i=0;i<20000;i++){ s=s*1103515245+12345; int k=(s>>16)%50; if(v[k]){ if(v[k][0]!=(char)k) abort(); v[k]=realloc(v[k],1+(s>>8)%3000); v[k][0]=k; if(s&1<<20){free(v[k]);v[k]=0;} } else { v[k]=malloc(1+(s>>8)%3000); v[k][0]=k; } } for(int k=0;k<50;k++) free(v[k]); return 0; }
int main(){ pthread_t t[6]; for(long i=0;i<6;i++) pthread_create(t+i,0,run,(void*)i); for(int i=0;i<6;i++) pthread_join(t[i],0); puts("ok"); }
