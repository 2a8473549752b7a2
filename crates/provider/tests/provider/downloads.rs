//! Files from the web, whole and broken.

use std::io;

use plimsoll_provider::Download;
use plimsoll_testkit::scripted::{Recorded, Reply, ScriptedServer};

use crate::PATIENT;

const FILE: &[u8] = b"All the weights of a small model, byte by byte.";

async fn get(server: &ScriptedServer, path: &str) -> (Vec<u8>, io::Result<()>) {
    let mut got = Vec::new();
    let download = Download::new(&format!("{}{path}", server.root_url()), PATIENT).unwrap();
    let mut take = |bytes: &[u8]| {
        got.extend_from_slice(bytes);
        Ok(())
    };
    let done = download.run(&mut take).await;
    (got, done)
}

/// The file up to here, although all of it was promised.
fn breaks_after(bytes: usize) -> Reply {
    let length = FILE.len().to_string();
    Reply::head(200, &[("content-length", &length)]).bytes(&FILE[..bytes]).close()
}

fn rest_of(request: &Recorded) -> Reply {
    let from = request.header("range").unwrap().strip_prefix("bytes=").unwrap();
    let from: usize = from.strip_suffix('-').unwrap().parse().unwrap();
    let range = format!("bytes {from}-{}/{}", FILE.len() - 1, FILE.len());
    Reply::whole(206, &[("content-range", &range)], &FILE[from..])
}

#[tokio::test]
async fn a_broken_download_goes_on_where_it_broke() {
    let server = ScriptedServer::answering(|request| match request.header("range") {
        None => breaks_after(10),
        Some("bytes=10-") => Reply::server(),
        Some(_) => unreachable!(),
    });
    let server = server.unwrap();
    let (got, done) = get(&server, "/file").await;
    assert_eq!(got, &FILE[..10]);
    assert!(done.unwrap_err().to_string().contains("500"));
    assert_eq!(server.requests().len(), 5, "it gives up in the end");

    let server = ScriptedServer::answering(|request| match request.header("range") {
        None => breaks_after(10),
        Some(_) => rest_of(request),
    });
    let (got, done) = get(&server.unwrap(), "/file").await;
    done.unwrap();
    assert_eq!(got, FILE);
}

#[tokio::test]
async fn a_server_that_begins_anew_is_read_past_what_is_known() {
    let server = ScriptedServer::start([breaks_after(10), Reply::whole(200, &[], FILE)]).unwrap();
    let (got, done) = get(&server, "/file").await;
    done.unwrap();
    assert_eq!(got, FILE);
    let elsewhere = Reply::whole(206, &[("content-range", "bytes 3-46/47")], &FILE[3..]);
    let server = ScriptedServer::start([breaks_after(10), elsewhere]).unwrap();
    let (got, done) = get(&server, "/file").await;
    assert_eq!((got.as_slice(), done.is_err()), (&FILE[..10], true));
}

#[tokio::test]
async fn another_server_may_hold_the_file() {
    let store = ScriptedServer::always(Reply::whole(200, &[], FILE)).unwrap();
    let to = format!("{}/there", store.root_url());
    let listing = ScriptedServer::always(Reply::redirect(&to)).unwrap();
    let (got, done) = get(&listing, "/file").await;
    done.unwrap();
    assert_eq!(got, FILE);
    let circle = ScriptedServer::always(Reply::redirect("/file")).unwrap();
    let (_, done) = get(&circle, "/file").await;
    assert!(done.unwrap_err().to_string().contains("circle"));
}

#[tokio::test]
async fn what_is_not_there_is_said_at_once() {
    let server = ScriptedServer::always(Reply::error(404, "Entry not found")).unwrap();
    let (_, done) = get(&server, "/file").await;
    assert!(done.unwrap_err().to_string().contains("404"));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn who_takes_the_bytes_may_stop() {
    let server = ScriptedServer::always(Reply::whole(200, &[], FILE)).unwrap();
    let url = format!("{}/file", server.root_url());
    let download = Download::new(&url, PATIENT).unwrap();
    let stopped = download.run(&mut |_| Err(io::ErrorKind::Interrupted.into())).await;
    assert_eq!(stopped.unwrap_err().kind(), io::ErrorKind::Interrupted);
    assert!(Download::new("ftp://x/y", PATIENT).is_err());
    assert!(Download::new("nonsense", PATIENT).is_err());
}
