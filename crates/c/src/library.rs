//! The functions that need no body: those that speak to the checker, those of the compiler, and the
//! C library as far as names go.

use crate::sites::{CheckMeaning, SiteKind};
use crate::types::Rank;

/// What a call of a known function means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// An error to call.
    Error,
    /// The first argument must not be 0.
    Assertion,
    /// Executions in which the first argument is 0 end here.
    Assumption,
    /// The execution ends, which is not an error.
    Ending,
    /// The program promises never to reach it.
    Unreachable,
    /// Does nothing that matters here; its arguments are evaluated.
    Nothing,
    /// Any value of the type in the rest of the name.
    Choice,
    /// The first argument as a `long`; the others are hints.
    Expect,
    /// Whether the argument is a constant.
    IsConstant,
    /// `abs` and its relatives.
    Absolute(Rank),
    /// A count of bits.
    Bits(Count, Rank),
    /// The bytes of a number of this rank in the other order.
    Swap(Rank),
}

/// What is counted in the bits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Bits that are 1.
    Ones,
    /// Whether the number of ones is odd.
    Parity,
    /// Zeros above the highest 1.
    Leading,
    /// Zeros below the lowest 1.
    Trailing,
    /// One plus the position of the lowest 1, or 0.
    First,
    /// Bits below the sign that are like it.
    Sign,
}

/// Functions that are an error to call, whether they have a body or not.
pub const ERRORS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// Prefixes of functions whose names end with the type of their arbitrary result.
const CHOICES: [&str; 2] = ["__VERIFIER_nondet_", "nondet_"];

/// Names with their meaning. Families of the compiler's functions are in [`family`].
const KNOWN: [(&str, Known); 38] = [
    ("reach_error", Known::Error),
    ("__VERIFIER_error", Known::Error),
    ("__assert_fail", Known::Error),
    ("__assert_perror_fail", Known::Error),
    ("__assert", Known::Error),
    ("klee_report_error", Known::Error),
    ("assert", Known::Assertion),
    ("__VERIFIER_assert", Known::Assertion),
    ("__CPROVER_assert", Known::Assertion),
    ("__ESBMC_assert", Known::Assertion),
    ("klee_assert", Known::Assertion),
    ("__VERIFIER_assume", Known::Assumption),
    ("__CPROVER_assume", Known::Assumption),
    ("__ESBMC_assume", Known::Assumption),
    ("klee_assume", Known::Assumption),
    ("abort", Known::Ending),
    ("exit", Known::Ending),
    ("_exit", Known::Ending),
    ("_Exit", Known::Ending),
    ("quick_exit", Known::Ending),
    ("klee_silent_exit", Known::Ending),
    ("__builtin_abort", Known::Ending),
    ("__builtin_exit", Known::Ending),
    ("__builtin_trap", Known::Ending),
    ("__builtin_unreachable", Known::Unreachable),
    ("__builtin_prefetch", Known::Nothing),
    ("__builtin_expect", Known::Expect),
    ("__builtin_expect_with_probability", Known::Expect),
    ("__builtin_constant_p", Known::IsConstant),
    ("abs", Known::Absolute(Rank::Int)),
    ("labs", Known::Absolute(Rank::Long)),
    ("llabs", Known::Absolute(Rank::LongLong)),
    ("__builtin_abs", Known::Absolute(Rank::Int)),
    ("__builtin_labs", Known::Absolute(Rank::Long)),
    ("__builtin_llabs", Known::Absolute(Rank::LongLong)),
    ("__builtin_bswap16", Known::Swap(Rank::Short)),
    ("__builtin_bswap32", Known::Swap(Rank::Int)),
    ("__builtin_bswap64", Known::Swap(Rank::LongLong)),
];

/// The compiler's functions that exist for `int`, `long` (`l`) and `long long` (`ll`).
const FAMILIES: [(&str, Count); 6] = [
    ("__builtin_popcount", Count::Ones),
    ("__builtin_parity", Count::Parity),
    ("__builtin_clz", Count::Leading),
    ("__builtin_ctz", Count::Trailing),
    ("__builtin_ffs", Count::First),
    ("__builtin_clrsb", Count::Sign),
];

/// The types that the name of an arbitrary value can end with.
const TYPES: [&str; 22] = [
    "bool",
    "_Bool",
    "char",
    "uchar",
    "u8",
    "short",
    "ushort",
    "u16",
    "int",
    "uint",
    "unsigned",
    "u32",
    "long",
    "ulong",
    "size_t",
    "longlong",
    "ulonglong",
    "u64",
    "float",
    "double",
    "pointer",
    "unsigned_int",
];

/// Functions of the C library that change no variable of the program and whose results are inputs,
/// or of no interest: nothing is lost if they return any value.
const HARMLESS: &str = "printf puts putchar putc fputs fputc fprintf vprintf vfprintf fflush perror \
    rand srand random srandom getchar getc fgetc time clock getpid sleep usleep atexit signal raise \
    isatty system fopen fclose getenv";

/// Other functions of the C library.
const LIBRARY: &str = "malloc calloc realloc free alloca memcpy memmove memset memcmp memchr strlen \
    strcpy strncpy strcat strncat strcmp strncmp strchr strrchr strstr strtok strdup strndup strcoll \
    strxfrm strcspn strspn strpbrk strerror strcasecmp strncasecmp strnlen sprintf snprintf vsprintf \
    vsnprintf scanf fscanf sscanf fgets gets fread fwrite fseek ftell rewind feof ferror clearerr \
    ungetc freopen remove rename tmpfile tmpnam setbuf setvbuf fgetpos fsetpos atoi atol atoll atof \
    strtol strtoul strtoll strtoull strtod strtof div ldiv lldiv qsort bsearch isalnum isalpha \
    isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper \
    mktime difftime gmtime localtime asctime ctime strftime setlocale localeconv longjmp setjmp \
    open close read write lseek fork execv execve wait waitpid pipe dup dup2 unlink access stat \
    sqrt pow sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 log2 exp2 ceil floor \
    trunc round rint fabs fmod fmin fmax ldexp frexp modf hypot cbrt isnan isinf isfinite";

/// The functions of POSIX threads that are supported, and how many arguments they have.
pub const THREADS: [(&str, usize); 29] = [
    ("pthread_create", 4),
    ("pthread_join", 2),
    ("pthread_exit", 1),
    ("pthread_detach", 1),
    ("pthread_yield", 0),
    ("sched_yield", 0),
    ("pthread_attr_init", 1),
    ("pthread_attr_destroy", 1),
    ("pthread_mutex_init", 2),
    ("pthread_mutex_lock", 1),
    ("pthread_mutex_trylock", 1),
    ("pthread_mutex_unlock", 1),
    ("pthread_mutex_destroy", 1),
    ("pthread_spin_init", 2),
    ("pthread_spin_lock", 1),
    ("pthread_spin_trylock", 1),
    ("pthread_spin_unlock", 1),
    ("pthread_spin_destroy", 1),
    ("pthread_cond_init", 2),
    ("pthread_cond_wait", 2),
    ("pthread_cond_signal", 1),
    ("pthread_cond_broadcast", 1),
    ("pthread_cond_destroy", 1),
    ("sem_init", 3),
    ("sem_wait", 1),
    ("sem_trywait", 1),
    ("sem_post", 1),
    ("sem_destroy", 1),
    ("__VERIFIER_atomic_begin", 0),
];

/// Prefixes of the names of functions for threads.
const FOR_THREADS: [&str; 5] = ["pthread_", "sem_", "thrd_", "mtx_", "cnd_"];

/// Whether the name of a function says that it is about threads.
pub fn is_for_threads(name: &str) -> bool {
    name == "__VERIFIER_atomic_end"
        || THREADS.iter().any(|(known, _)| *known == name)
        || FOR_THREADS.iter().any(|prefix| name.starts_with(prefix))
}

/// What a name means without a body, if it is known.
pub fn known(name: &str) -> Option<Known> {
    let named = KNOWN.iter().find(|(known, _)| *known == name);
    named.map(|(_, meaning)| *meaning).or_else(|| family(name))
}

/// What a call of a function has to do with the outside; `None` if nothing.
pub fn site(name: &str, has_body: bool) -> Option<SiteKind> {
    let function = name.to_owned();
    let meaning = match known(name) {
        Some(Known::Error) => CheckMeaning::Error,
        Some(Known::Assertion) => CheckMeaning::Assertion,
        Some(Known::Assumption) => CheckMeaning::Assumption,
        Some(Known::Unreachable) => CheckMeaning::Unreachable,
        _ if has_body => return None,
        Some(Known::Choice) => return Some(SiteKind::Choice { function }),
        Some(_) => return None,
        None if is_for_threads(name) => return None,
        None => return Some(SiteKind::Outside { function }),
    };
    Some(SiteKind::Check {
        function,
        meaning,
        has_body,
    })
}

fn family(name: &str) -> Option<Known> {
    if CHOICES.iter().any(|prefix| name.starts_with(prefix)) {
        return Some(Known::Choice);
    }
    FAMILIES.iter().find_map(|(prefix, count)| {
        let rank = match name.strip_prefix(prefix)? {
            "" => Rank::Int,
            "l" => Rank::Long,
            "ll" => Rank::LongLong,
            _ => return None,
        };
        Some(Known::Bits(*count, rank))
    })
}

/// The type in the name of a function that returns an arbitrary value.
pub fn type_in_name(name: &str) -> &str {
    let mut rests = CHOICES
        .iter()
        .filter_map(|prefix| name.strip_prefix(prefix));
    rests.next().unwrap_or("")
}

/// Whether a function may be called without a declaration.
pub fn needs_no_declaration(name: &str) -> bool {
    match known(name) {
        Some(Known::Choice) => TYPES.contains(&type_in_name(name)),
        Some(_) => true,
        None if is_for_threads(name) => true,
        None => words(LIBRARY)
            .chain(words(HARMLESS))
            .any(|known| known == name),
    }
}

/// Whether a function without a body needs no warning: hardbop knows it, or an arbitrary result is
/// as good as the real one.
pub fn is_harmless(name: &str) -> bool {
    known(name).is_some() || words(HARMLESS).any(|known| known == name)
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_whitespace()
}

/// All names that need no declaration, for suggestions.
pub fn names() -> impl Iterator<Item = String> {
    let own = KNOWN.iter().map(|(name, _)| (*name).to_owned());
    let counts = FAMILIES.iter().map(|(name, _)| (*name).to_owned());
    let choices = CHOICES
        .iter()
        .flat_map(|prefix| TYPES.iter().map(move |ty| format!("{prefix}{ty}")));
    let library = words(LIBRARY).chain(words(HARMLESS)).map(str::to_owned);
    let threads = THREADS.iter().map(|(name, _)| (*name).to_owned());
    own.chain(choices)
        .chain(counts)
        .chain(library)
        .chain(threads)
}

/// The name that a mistyped one is probably meant to be: another one by one slip of the pen, or two
/// in a long name. Names that differ in digits only are different on purpose.
pub fn nearest<'n>(wanted: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = if wanted.len() > 8 { 2 } else { 1 };
    let is_short = wanted.len() < 4;
    let letters = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    let own = letters(wanted);
    let near = candidates
        .filter(|name| !is_short && letters(name) != own)
        .filter_map(|name| Some((hardbop_syntax::suggest::slips(wanted, name, limit)?, name)));
    near.min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(wanted: &str) -> Option<String> {
        let names: Vec<String> = names().collect();
        nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
    }

    #[test]
    fn slips_of_the_pen_are_recognised() {
        assert_eq!(suggested("asert").as_deref(), Some("assert"));
        assert_eq!(
            suggested("__VERIFIER_nondet_itn").as_deref(),
            Some("__VERIFIER_nondet_int")
        );
        assert_eq!(
            suggested("__VERIFER_asume").as_deref(),
            Some("__VERIFIER_assume")
        );
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in ["start_motor", "f", "foo", "inspect", "f2"] {
            assert_eq!(suggested(name), None, "{name}");
        }
        assert_eq!(nearest("task12", ["task11"].into_iter()), None);
    }

    #[test]
    fn types_in_names_are_known() {
        assert!(needs_no_declaration("nondet_uint"));
        assert!(!needs_no_declaration("__VERIFIER_nondet_itn"));
        assert!(!needs_no_declaration("__VERIFIER_asume"));
    }
}
