//! The tables of languages, one constant each.

use super::lexer::{Quote, Trait, Words};

const fn quote(open: &'static str, close: &'static str, escapes: bool, lines: bool) -> Quote {
    Quote { open, close, escapes, lines }
}

const DOUBLE: Quote = quote("\"", "\"", true, false);
const SINGLE: Quote = quote("'", "'", true, false);
const DOUBLE_LINES: Quote = quote("\"", "\"", true, true);
const SINGLE_RAW: Quote = quote("'", "'", false, true);
const TEMPLATE: Quote = quote("`", "`", true, true);
const RAW_BACKTICK: Quote = quote("`", "`", false, true);
const TRIPLE: Quote = quote("\"\"\"", "\"\"\"", true, true);
const TRIPLE_SINGLE: Quote = quote("'''", "'''", true, true);

pub(super) const RUST: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE, SINGLE],
    keywords: "\
        as async await break const continue crate dyn else enum extern fn for if impl in let loop \
        match mod move mut pub ref return self static struct super trait type union unsafe use \
        where while yield",
    types: "Self bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize",
    constants: "Err None Ok Some false true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::Hash, Trait::Lifetimes, Trait::Bang],
};

pub(super) const PYTHON: Words = Words {
    line: &["#"],
    block: &[],
    strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    keywords: "\
        and as assert async await break case class continue def del elif else except finally for \
        from global if import in is lambda match nonlocal not or pass raise return try while with \
        yield",
    types: "bool bytes dict float int list object set str tuple type",
    constants: "False None True cls self",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const JAVASCRIPT: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE, SINGLE, TEMPLATE],
    keywords: "\
        as async await break case catch class const continue debugger default delete do else \
        export extends finally for from function get if import in instanceof let new of return set \
        static super switch throw try typeof var void while with yield",
    types: "",
    constants: "Infinity NaN false null this true undefined",
    in_words: b"$",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const TYPESCRIPT: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE, SINGLE, TEMPLATE],
    keywords: "\
        abstract as async await break case catch class const continue debugger declare default \
        delete do else enum export extends finally for from function get if implements import in \
        infer instanceof interface is keyof let namespace new of override private protected public \
        readonly return satisfies set static super switch throw try type typeof var void while \
        with yield",
    types: "any bigint boolean never number object string symbol unknown",
    constants: "Infinity NaN false null this true undefined",
    in_words: b"$",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const JAVA: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[TRIPLE, DOUBLE, SINGLE],
    keywords: "\
        abstract assert break case catch class continue default do else enum extends final finally \
        for if implements import instanceof interface native new package permits private protected \
        public record return sealed static strictfp super switch synchronized throw throws \
        transient try var volatile while yield",
    types: "boolean byte char double float int long short void",
    constants: "false null this true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const KOTLIN: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[TRIPLE, DOUBLE, SINGLE],
    keywords: "\
        abstract as break by catch class companion const constructor continue crossinline data do \
        else enum external final finally for fun get if import in infix init inline inner \
        interface internal is lateinit object open operator out override package private protected \
        public return sealed set super suspend tailrec throw try typealias val var vararg when \
        where while",
    types: "",
    constants: "false it null this true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const SWIFT: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[TRIPLE, DOUBLE],
    keywords: "\
        actor as associatedtype async await break case catch class continue default defer deinit \
        do else enum extension fallthrough fileprivate final for func guard if import in indirect \
        init inout internal is lazy let mutating open operator override private protocol public \
        repeat required rethrows return static struct subscript super switch throw throws try \
        typealias unowned var weak where while",
    types: "",
    constants: "Self false nil self true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At, Trait::Hash],
};

pub(super) const C: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE, SINGLE],
    keywords: "\
        _Alignas _Atomic _Generic _Noreturn _Static_assert auto break case const continue default \
        do else enum extern for goto if inline register restrict return sizeof static struct \
        switch typedef union volatile while",
    types: "\
        FILE bool char double float int int16_t int32_t int64_t int8_t long ptrdiff_t short signed \
        size_t ssize_t uint16_t uint32_t uint64_t uint8_t uintptr_t unsigned void wchar_t",
    constants: "NULL false nullptr true",
    in_words: b"",
    traits: &[Trait::Calls, Trait::Hash, Trait::At],
};

pub(super) const CPP: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE, SINGLE],
    keywords: "\
        _Alignas _Atomic _Generic _Noreturn _Static_assert alignas alignof auto break case catch \
        class co_await co_return co_yield concept const consteval constexpr constinit continue \
        decltype default delete do else enum explicit export extern final for friend goto if \
        inline mutable namespace new noexcept operator override private protected public register \
        requires restrict return sizeof static static_assert struct switch template this throw try \
        typedef typename union using virtual volatile while",
    types: "\
        FILE auto bool char double float int int16_t int32_t int64_t int8_t long map ptrdiff_t \
        short signed size_t ssize_t string uint16_t uint32_t uint64_t uint8_t uintptr_t unsigned \
        vector void wchar_t",
    constants: "NULL false nullptr true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::Hash],
};

pub(super) const CSHARP: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[TRIPLE, DOUBLE, SINGLE],
    keywords: "\
        abstract as async await base break case catch checked class const continue default \
        delegate do else enum event explicit extern finally fixed for foreach get goto if implicit \
        in init interface internal is lock namespace new operator out override params partial \
        private protected public readonly record ref required return sealed set sizeof stackalloc \
        static struct switch this throw try typeof unchecked unsafe using var virtual volatile \
        when where while with yield",
    types: "\
        bool byte char decimal double dynamic float int long nint nuint object sbyte short string \
        uint ulong ushort void",
    constants: "false null true value",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::Hash],
};

pub(super) const GO: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE, SINGLE, RAW_BACKTICK],
    keywords: "\
        break case chan const continue default defer else fallthrough for func go goto if import \
        interface map package range return select struct switch type var",
    types: "\
        any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 \
        int8 rune string uint uint16 uint32 uint64 uint8 uintptr",
    constants: "false iota nil true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls],
};

pub(super) const RUBY: Words = Words {
    line: &["#"],
    block: &[("=begin", "=end")],
    strings: &[DOUBLE_LINES, SINGLE_RAW, TEMPLATE],
    keywords: "\
        alias and attr_accessor attr_reader attr_writer begin break case class def defined? do \
        else elsif end ensure extend for if in include module next not or private protected public \
        raise redo require require_relative rescue retry return self super then undef unless until \
        when while yield",
    types: "",
    constants: "__FILE__ false nil true",
    in_words: b"?",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At, Trait::Dollar, Trait::LooseHash],
};

pub(super) const PHP: Words = Words {
    line: &["//", "#"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE_LINES, SINGLE_RAW],
    keywords: "\
        abstract and array as break callable case catch class clone const continue declare default \
        do echo else elseif empty enum extends final finally fn for foreach function global goto \
        if implements include include_once instanceof insteadof interface isset list match \
        namespace new or print private protected public readonly require require_once return \
        static switch throw trait try unset use var while xor yield",
    types: "bool float int iterable mixed never object string void",
    constants: "false null parent self true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::Dollar],
};

pub(super) const SQL: Words = Words {
    line: &["--"],
    block: &[("/*", "*/")],
    strings: &[SINGLE_RAW, DOUBLE],
    keywords: "\
        add all alter analyze and any as asc begin between by cascade case check column commit \
        constraint create cross current database default delete desc distinct do drop else end \
        except exists explain false fetch filter first following for foreign from full function \
        group having if ilike in index inner insert intersect into is join key last lateral left \
        like limit materialized natural not nulls of offset on or order outer over partition \
        pragma preceding primary procedure range recursive references replace returning right \
        rollback row rows savepoint select set table temporary then to transaction trigger \
        truncate unbounded union unique update using vacuum values view when where window with \
        without",
    types: "\
        bigint blob bool boolean bytea char date decimal double float int integer interval json \
        jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar",
    constants: "false null true",
    in_words: b"",
    traits: &[Trait::AnyCase, Trait::Calls],
};

pub(super) const SHELL: Words = Words {
    line: &["#"],
    block: &[],
    strings: &[DOUBLE_LINES, SINGLE_RAW],
    keywords: "\
        alias case cd declare do done echo elif else esac eval exec exit export fi for function if \
        in local readonly return select set shift source sudo then trap unset until while",
    types: "",
    constants: "false true",
    in_words: b"-",
    traits: &[Trait::Dollar, Trait::LooseHash],
};

pub(super) const POWERSHELL: Words = Words {
    line: &["#"],
    block: &[("<#", "#>")],
    strings: &[DOUBLE_LINES, SINGLE_RAW],
    keywords: "\
        begin break catch class continue data do dynamicparam else elseif end enum exit filter \
        finally for foreach from function if in param process return switch throw trap try until \
        using while",
    types: "",
    constants: "",
    in_words: b"-",
    traits: &[Trait::AnyCase, Trait::Dollar],
};

pub(super) const LUA: Words = Words {
    line: &["--"],
    block: &[("--[[", "]]")],
    strings: &[DOUBLE, SINGLE],
    keywords: "\
        and break do else elseif end for function goto if in local not or repeat return then until \
        while",
    types: "",
    constants: "false nil self true",
    in_words: b"",
    traits: &[Trait::Calls],
};

pub(super) const R: Words = Words {
    line: &["#"],
    block: &[],
    strings: &[DOUBLE_LINES, SINGLE_RAW],
    keywords: "break else for function if in library next repeat require return while",
    types: "",
    constants: "FALSE Inf NA NULL NaN TRUE",
    in_words: b".",
    traits: &[Trait::Calls],
};

pub(super) const SCALA: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[TRIPLE, DOUBLE],
    keywords: "\
        abstract case catch class def derives do else end enum export extends extension final \
        finally for forSome given if implicit import inline lazy match new object opaque open \
        override package private protected return sealed super then throw trait transparent try \
        type using val var while with yield",
    types: "",
    constants: "false null this true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const HASKELL: Words = Words {
    line: &["--"],
    block: &[("{-", "-}")],
    strings: &[DOUBLE],
    keywords: "\
        as case class data default deriving do else forall foreign hiding if import in infix \
        infixl infixr instance let module newtype of qualified then type where",
    types: "",
    constants: "",
    in_words: b"'",
    traits: &[Trait::CapitalTypes],
};

pub(super) const ELIXIR: Words = Words {
    line: &["#"],
    block: &[],
    strings: &[TRIPLE, DOUBLE, SINGLE],
    keywords: "\
        after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct \
        do else end fn for if import in not or quote raise receive require rescue try unless \
        unquote use when with",
    types: "",
    constants: "false nil true",
    in_words: b"?",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const DART: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    keywords: "\
        abstract as assert async await break case catch class const continue covariant default \
        deferred do dynamic else enum export extends extension external factory final finally for \
        get if implements import in interface is late library mixin new on operator part required \
        rethrow return sealed set show static super switch sync throw try typedef var when while \
        with yield",
    types: "bool double int num void",
    constants: "false null this true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const ZIG: Words = Words {
    line: &["//"],
    block: &[],
    strings: &[DOUBLE, SINGLE],
    keywords: "\
        align and anytype asm async await break catch comptime const continue defer else enum \
        errdefer error export extern fn for if inline noalias nosuspend opaque or orelse packed \
        pub resume return struct suspend switch test threadlocal try union unreachable \
        usingnamespace var volatile while",
    types: "\
        anyerror bool f16 f32 f64 i128 i16 i32 i64 i8 isize type u128 u16 u32 u64 u8 usize void",
    constants: "false null true undefined",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};

pub(super) const CSS: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE, SINGLE],
    keywords: "and from important not only to",
    types: "",
    constants: "auto inherit initial none unset",
    in_words: b"-",
    traits: &[Trait::At, Trait::Calls, Trait::ColonKeys, Trait::Dollar],
};

pub(super) const JSON: Words = Words {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE],
    keywords: "",
    types: "",
    constants: "false null true",
    in_words: b"",
    traits: &[Trait::ColonKeys],
};

pub(super) const YAML: Words = Words {
    line: &["#"],
    block: &[],
    strings: &[DOUBLE, SINGLE],
    keywords: "",
    types: "",
    constants: "false no null off on true yes",
    in_words: b"-./",
    traits: &[Trait::ColonKeys, Trait::LooseHash],
};

pub(super) const TOML: Words = Words {
    line: &["#", ";"],
    block: &[],
    strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    keywords: "",
    types: "",
    constants: "false true",
    in_words: b"-.",
    traits: &[Trait::EqualKeys, Trait::LooseHash],
};

pub(super) const DOCKERFILE: Words = Words {
    line: &["#"],
    block: &[],
    strings: &[DOUBLE, SINGLE],
    keywords: "\
        ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL \
        STOPSIGNAL USER VOLUME WORKDIR",
    types: "",
    constants: "",
    in_words: b"-",
    traits: &[Trait::Dollar, Trait::LooseHash],
};

pub(super) const MAKEFILE: Words = Words {
    line: &["#"],
    block: &[],
    strings: &[DOUBLE, SINGLE],
    keywords: "\
        define else endef endforeach endfunction endif export foreach function if ifdef ifeq \
        ifndef ifneq include macro override set",
    types: "",
    constants: "",
    in_words: b"-.",
    traits: &[Trait::Dollar, Trait::LooseHash, Trait::AnyCase, Trait::ColonKeys],
};

pub(super) const NIX: Words = Words {
    line: &["#"],
    block: &[("/*", "*/")],
    strings: &[DOUBLE_LINES],
    keywords: "\
        assert data else if import in inherit let locals module or output provider rec resource \
        then variable with",
    types: "",
    constants: "false null true",
    in_words: b"-",
    traits: &[Trait::LooseHash],
};

pub(super) const GRAPHQL: Words = Words {
    line: &["#", "//"],
    block: &[("/*", "*/")],
    strings: &[TRIPLE, DOUBLE],
    keywords: "\
        enum extend fragment implements import input interface message mutation on oneof option \
        package query repeated returns rpc scalar schema service subscription syntax type union",
    types: "\
        Boolean Float ID Int String bool bytes double fixed32 fixed64 float int32 int64 string \
        uint32 uint64",
    constants: "false null true",
    in_words: b"",
    traits: &[Trait::CapitalTypes, Trait::Calls, Trait::At],
};
