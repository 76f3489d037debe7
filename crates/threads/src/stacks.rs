//! Proofs for threads with recursion, for any number of context switches: summarised stacks.
//!
//! Of each thread only the top frame is kept, with what is known of its entry; a return leads to
//! every frame that was ever seen to wait for such an entry. That has finitely many states, and what
//! it excludes no run reaches. Of the threads only few are looked at together, and threads that
//! start in the same procedure are not told apart, so the number of threads is irrelevant.
//! [`engine`] says how few; `search` is symbolic in the data; `evidence` writes the certificate,
//! whose conditions `docs/certificates.md` lists. (CUBA, PLDI 2018, keeps whole stacks and may not
//! converge; Getafix, section 5, has a bound.)

pub(crate) mod engine;

/// Threads, frames and edges as BDDs.
mod encoding {
    pub(crate) mod crew;
    pub(crate) mod deeds;
    pub(crate) mod seats;
}

/// All that few threads may be seen to do.
mod search {
    pub(crate) mod fixpoint;
    pub(crate) mod steps;
    pub(crate) mod symmetry;
}

/// Certificates.
mod evidence {
    pub(crate) mod certify;
}
