//! The state graph with its summary edges, kept as it grows (VERA, section 4: the graph `S_R`).
//!
//! Links are steps, entries of callees, and summaries. A state is *fair* if the automaton accepts
//! there; a summary is fair if the callee can come to its exit by way of a fair state. Where VERA
//! visits every state twice, with and without its bit *b*, here a state is raised once, when some
//! way from the entry of its procedure to it is found to have passed a fair state, and remembers by
//! which link: so that a run that does so can be read off. Raising goes on along links, and from an
//! exit to all summaries that use it.

use crate::search::exploration::{Derivation, StateId, Successor, Via};

/// The number of a link.
pub(crate) type LinkId = u32;

/// No link.
pub(crate) const NO_LINK: LinkId = u32::MAX;

/// A link of the graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// Where it leads.
    pub(crate) to: StateId,
    /// Where it comes from, and what it is.
    pub(crate) derivation: Derivation,
    /// Whether it enters a callee.
    pub(crate) enters: bool,
    /// The next link from the same state.
    next: LinkId,
}

/// How a state was reached by way of a fair one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FairWay {
    /// The last link; [`NO_LINK`] for an entry that is fair itself.
    pub(crate) link: LinkId,
    /// Whether the way to the link's source passed a fair state.
    pub(crate) from_is_fair: bool,
    /// Whether the completed call of the link must pass one.
    pub(crate) exit_is_fair: bool,
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    first: LinkId,
    last: LinkId,
    /// The first entry of `uses`, for an exit.
    use_list: u32,
    accepts: bool,
    is_expanded: bool,
    way: Option<FairWay>,
}

/// The part of the graph that has been made.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    vertices: Vec<Vertex>,
    links: Vec<Link>,
    /// Summaries by exit, as lists: a link and the next entry.
    uses: Vec<(LinkId, u32)>,
    pending: Vec<StateId>,
    /// Whether a summary that was there already has become fair.
    pub(crate) has_new_fairness: bool,
}

impl Graph {
    /// Adds a state; its number must be the next one. An entry starts a way of its own.
    pub(crate) fn add_state(&mut self, accepts: bool) {
        self.vertices.push(Vertex {
            first: NO_LINK,
            last: NO_LINK,
            use_list: NO_LINK,
            accepts,
            is_expanded: false,
            way: None,
        });
    }

    /// How many states there are.
    pub(crate) fn state_count(&self) -> usize {
        self.vertices.len()
    }

    /// How many links there are.
    pub(crate) fn link_count(&self) -> usize {
        self.links.len()
    }

    /// A link.
    pub(crate) fn link(&self, id: LinkId) -> &Link {
        &self.links[id as usize]
    }

    /// Whether the automaton accepts in a state.
    pub(crate) fn accepts(&self, state: StateId) -> bool {
        self.vertices[state as usize].accepts
    }

    /// How a state was reached by way of a fair one, if it was.
    pub(crate) fn fair_way(&self, state: StateId) -> Option<FairWay> {
        self.vertices[state as usize].way
    }

    /// Whether all links from a state are there that its own steps can make.
    pub(crate) fn is_expanded(&self, state: StateId) -> bool {
        self.vertices[state as usize].is_expanded
    }

    /// All steps from a state have been made.
    pub(crate) fn set_expanded(&mut self, state: StateId) {
        self.vertices[state as usize].is_expanded = true;
    }

    /// The link after another one from the same state; the first one after [`NO_LINK`].
    pub(crate) fn next_link(&self, state: StateId, after: LinkId) -> Option<LinkId> {
        let next = if after == NO_LINK {
            self.vertices[state as usize].first
        } else {
            self.links[after as usize].next
        };
        (next != NO_LINK).then_some(next)
    }

    /// The links from a state.
    pub(crate) fn links_from(&self, state: StateId) -> impl Iterator<Item = LinkId> + '_ {
        std::iter::successors(self.next_link(state, NO_LINK), move |&link| {
            self.next_link(state, link)
        })
    }

    /// Whether a link is a fair summary.
    pub(crate) fn is_fair(&self, id: LinkId) -> bool {
        match self.link(id).derivation.via() {
            Via::Exit(exit) => self.fair_way(exit).is_some(),
            Via::Edge(_) => false,
        }
    }

    /// A state in which a procedure has just been entered, or the program started.
    pub(crate) fn begin(&mut self, entry: StateId) {
        if self.accepts(entry) {
            let way = FairWay {
                link: NO_LINK,
                from_is_fair: false,
                exit_is_fair: false,
            };
            self.raise(entry, way);
        }
    }

    /// Adds a link; both of its states must be there.
    pub(crate) fn add_link(&mut self, successor: &Successor) {
        let (to, derivation, enters) = (successor.state, successor.derivation, successor.enters);
        let id = self.links.len() as LinkId;
        self.links.push(Link {
            to,
            derivation,
            enters,
            next: NO_LINK,
        });
        let from = &mut self.vertices[derivation.from as usize];
        let last = std::mem::replace(&mut from.last, id);
        if last == NO_LINK {
            from.first = id;
        } else {
            self.links[last as usize].next = id;
        }
        if enters {
            self.begin(to);
            return;
        }
        let mut exit_is_fair = false;
        if let Via::Exit(exit) = derivation.via() {
            let exit = &mut self.vertices[exit as usize];
            let use_list = std::mem::replace(&mut exit.use_list, self.uses.len() as u32);
            exit_is_fair = exit.way.is_some();
            self.uses.push((id, use_list));
        }
        let from_is_fair = self.fair_way(derivation.from).is_some();
        if from_is_fair || exit_is_fair || self.accepts(to) {
            let way = FairWay {
                link: id,
                from_is_fair,
                exit_is_fair: exit_is_fair && !from_is_fair,
            };
            self.raise(to, way);
        }
    }

    /// Some way to the state passes a fair one; so do the ways on from there.
    fn raise(&mut self, state: StateId, way: FairWay) {
        self.raise_one(state, way);
        while let Some(state) = self.pending.pop() {
            let mut link = NO_LINK;
            while let Some(next) = self.next_link(state, link) {
                link = next;
                let Link { to, enters, .. } = *self.link(link);
                if !enters {
                    let way = FairWay {
                        link,
                        from_is_fair: true,
                        exit_is_fair: false,
                    };
                    self.raise_one(to, way);
                }
            }
            let mut entry = self.vertices[state as usize].use_list;
            self.has_new_fairness |= entry != NO_LINK;
            while entry != NO_LINK {
                let (link, next) = self.uses[entry as usize];
                let way = FairWay {
                    link,
                    from_is_fair: false,
                    exit_is_fair: true,
                };
                self.raise_one(self.link(link).to, way);
                entry = next;
            }
        }
    }

    fn raise_one(&mut self, state: StateId, way: FairWay) {
        let vertex = &mut self.vertices[state as usize];
        if vertex.way.is_none() {
            vertex.way = Some(way);
            self.pending.push(state);
        }
    }

    /// Bytes of all tables.
    pub(crate) fn bytes(&self) -> usize {
        self.vertices.capacity() * size_of::<Vertex>()
            + self.links.capacity() * size_of::<Link>()
            + self.uses.capacity() * size_of::<(LinkId, u32)>()
    }
}
