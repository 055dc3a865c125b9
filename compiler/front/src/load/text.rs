//! From bytes to text.

/// Bytes that are no UTF-8 text.
pub(super) struct BadText {
    /// What is text before the fault.
    pub prefix: String,
    /// What the fault is, with its byte offset.
    pub what: String,
    /// What to do.
    pub help: &'static str,
}

const SAVE_AS_UTF8: &str = "save the file as UTF-8";
const NOT_A_TEXT: &str = "is this a text file? save it as UTF-8";

/// The text of a file. A UTF-8 byte order mark stays in it, so that offsets are those of the file.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, BadText> {
    // UTF-32 little endian starts like UTF-16 little endian.
    let marks: [(&[u8], &str); 4] = [
        (&[0xff, 0xfe, 0, 0], "UTF-32 (little endian)"),
        (&[0, 0, 0xfe, 0xff], "UTF-32 (big endian)"),
        (&[0xff, 0xfe], "UTF-16 (little endian)"),
        (&[0xfe, 0xff], "UTF-16 (big endian)"),
    ];
    for (mark, name) in marks {
        if bytes.starts_with(mark) {
            return Err(BadText {
                prefix: String::new(),
                what: format!("its byte order mark (offset 0) says {name}"),
                help: SAVE_AS_UTF8,
            });
        }
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            let byte = bytes.get(at).copied().unwrap_or(0);
            bytes.truncate(at);
            // A NUL before the fault is the better hint: text in UTF-16 without a mark.
            if let Some(nul) = bytes.iter().position(|&b| b == 0) {
                bytes.truncate(nul);
                return Err(nul_byte(String::from_utf8(bytes).unwrap_or_default()));
            }
            return Err(BadText {
                prefix: String::from_utf8(bytes).unwrap_or_default(),
                what: format!("byte 0x{byte:02x} at byte offset {at} begins no character"),
                help: NOT_A_TEXT,
            });
        }
    };
    match text.find('\0') {
        Some(at) => Err(nul_byte(text.get(..at).unwrap_or("").to_owned())),
        None => Ok(text),
    }
}

fn nul_byte(prefix: String) -> BadText {
    BadText {
        what: format!(
            "NUL byte at byte offset {} (a binary file, or UTF-16 without its mark)",
            prefix.len()
        ),
        prefix,
        help: NOT_A_TEXT,
    }
}
