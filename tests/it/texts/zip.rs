//! A small writer of ZIP archives, which also writes what no honest one does.

/// An entry in the making.
pub struct Entry {
    pub name: Vec<u8>,
    pub content: Vec<u8>,
    pub flags: u16,
    pub method: u16,
    pub mode: u32,
    /// Stands behind the end of what was deflated, and is counted with it.
    pub behind: &'static [u8],
    /// What the directory says instead of the truth.
    pub size: Option<u32>,
    pub checksum: Option<u32>,
    pub local_name: Option<Vec<u8>>,
    /// Lies at the place of an earlier entry.
    pub at: Option<u32>,
}

pub fn entry(name: &str, content: impl Into<Vec<u8>>) -> Entry {
    Entry {
        name: name.as_bytes().to_vec(),
        content: content.into(),
        flags: 0,
        method: 8,
        mode: 0o100_644,
        behind: b"",
        size: None,
        checksum: None,
        local_name: None,
        at: None,
    }
}

pub fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let mut packed = match entry.method {
            8 => miniz_oxide::deflate::compress_to_vec(&entry.content, 6),
            _ => entry.content.clone(),
        };
        packed.extend(entry.behind);
        let size = entry.size.unwrap_or(entry.content.len() as u32);
        let checksum = entry.checksum.unwrap_or_else(|| crc32fast::hash(&entry.content));
        let start = entry.at.unwrap_or(out.len() as u32);
        let common = |out: &mut Vec<u8>, name: &[u8]| {
            for field in [20, entry.flags, entry.method, 0, 0] {
                out.extend(field.to_le_bytes());
            }
            for field in [checksum, packed.len() as u32, size] {
                out.extend(field.to_le_bytes());
            }
            out.extend((name.len() as u16).to_le_bytes());
            out.extend(0u16.to_le_bytes());
        };
        if entry.at.is_none() {
            let name = entry.local_name.as_ref().unwrap_or(&entry.name);
            out.extend(b"PK\x03\x04");
            common(&mut out, name);
            out.extend(name);
            out.extend(&packed);
        }
        directory.extend(b"PK\x01\x02");
        directory.extend((3u16 << 8 | 20).to_le_bytes());
        common(&mut directory, &entry.name);
        directory.extend([0u8; 6]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(start.to_le_bytes());
        directory.extend(&entry.name);
    }
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend((entries.len() as u16).to_le_bytes());
    out.extend((entries.len() as u16).to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend(0u16.to_le_bytes());
    out
}
