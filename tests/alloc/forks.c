/* A thousand children, each with its own copy of the heap, which parent and children write to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
int main(void){
  enum {N=200}; char*b[N]; int bad=0;
  for(int i=0;i<N;i++){ b[i]=malloc(10+i); memset(b[i],i,10+i);} 
  for(int k=0;k<1000;k++){ pid_t p=fork(); if(p<0){perror("fork");return 1;}
    if(!p){ for(int i=0;i<N;i++) { if((unsigned char)b[i][3]!=(unsigned char)i) _exit(3); b[i][3]=k;} char*q=malloc(100); memset(q,1,100); free(q); _exit(0);} 
    int st; waitpid(p,&st,0); bad|=st; 
    for(int i=0;i<N;i++) if((unsigned char)b[i][3]!=(unsigned char)i) bad|=1; }
  for(int i=0;i<N;i++) free(b[i]);
  printf("bad %d\n",bad); return bad!=0; }
