//! How a text is cut into the words by which it is found, and how well it fits a question
//! (MEM-10, HIS-7). Pure: every database is fed the same words, only finds texts that hold them,
//! and the rank is made here, so that each of them gives the same list.

pub mod cut;
pub mod fold;
pub mod question;
pub mod rank;
pub mod similar;
pub mod stop;
