// Another game on requests.bp: Adam also decides how a request ends, but interrupting one is Eve's choice, and every request is worth
// 2 as long as it lasts.
load "parity-game";

bool IsEves(State u)
  At(u, DEEPER);

bool HasPriority(State u, Priority k)
  case
    In(u, handle) : k = 2;
    In(u, main)   : k = 1;
  esac;

#print "Eve wins, although Adam decides how requests end:";
( forall State u. Init(u) -> EveWins(u) );
