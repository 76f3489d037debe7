// Which places can be reached in a small town with one-way streets, and from where can one always get home?

enum Place { home, market, school, bridge, island, quarry };

bool Street(Place a, Place b)
  case
    a = home   : b = market | b = school;
    a = market : b = home   | b = bridge;
    a = school : b = market;
    a = bridge : b = market | b = island;
    a = island : b = island;
    a = quarry : b = home;
  esac;

// The least relation with: home is reached, and so is what a street leads to from a place that is reached.
mu bool Reached(Place p)
  p = home | (exists Place q. Reached(q) & Street(q, p));

// The same between any two places.
mu bool Path(Place a, Place b)
  a = b | (exists Place c. Path(a, c) & Street(c, b));

#print "Is the island reached? The quarry?";
Reached(island);
Reached(quarry);

#print "How many places are reached?";
#ons Reached;

#print "Can one get home from every place that is reached?";
forall Place p. Reached(p) -> Path(p, home);
#cex forall Place p. Reached(p) -> Path(p, home);

// The greatest relation with: not at home, and there is a street to a place of the relation. One can go on from there for ever.
nu bool Away(Place p)
  p != home & (exists Place q. Street(p, q) & Away(q));

#print "From where can one walk for ever without coming home? From how many places?";
#wit Away;
#ons Away;
