//! Numbers, texts and values as bytes, for saved sessions: unsigned numbers in as many bytes as they need. Reading checks everything: whatever the
//! bytes, the answer is a value or [`Corrupt`].

use alloc::string::String;
use alloc::vec::Vec;

use crate::eval::datum::{Key, Remembered};
use crate::json;
use crate::registers::Mark;
use crate::value::Value;

/// The bytes are no saved session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt;

/// Writes numbers, texts and values.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
    scratch: String,
}

impl Writer {
    pub(crate) fn u8(&mut self, n: u8) {
        self.bytes.push(n);
    }

    pub(crate) fn bool(&mut self, b: bool) {
        self.u8(u8::from(b));
    }

    pub(crate) fn u32(&mut self, n: u32) {
        self.u64(u64::from(n));
    }

    /// Seven bits a byte, the lowest first (LEB128): most numbers are small.
    pub(crate) fn u64(&mut self, mut n: u64) {
        while n > 0x7f {
            self.u8(n as u8 | 0x80);
            n >>= 7;
        }
        self.u8(n as u8);
    }

    pub(crate) fn i64(&mut self, n: i64) {
        self.bytes.extend_from_slice(&n.to_le_bytes());
    }

    pub(crate) fn len(&mut self, n: usize) {
        self.u64(u64::try_from(n).unwrap_or(u64::MAX));
    }

    pub(crate) fn str(&mut self, s: &str) {
        self.len(s.len());
        self.bytes.extend_from_slice(s.as_bytes());
    }

    pub(crate) fn value(&mut self, value: &Value) {
        let mut text = core::mem::take(&mut self.scratch);
        text.clear();
        json::write(value, &mut text);
        self.str(&text);
        self.scratch = text;
    }

    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.bool(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(crate) fn time(&mut self, time: Option<i64>) {
        self.option(time, Self::i64);
    }

    pub(crate) fn mark(&mut self, mark: Option<Mark>) {
        self.option(mark, |out, mark| out.time(mark.time));
    }

    pub(crate) fn key(&mut self, key: &Key) {
        self.len(key.len());
        for value in key.iter() {
            self.value(value);
        }
    }

    pub(crate) fn remembered(&mut self, value: &Remembered) {
        match value {
            Remembered::Value(value) => {
                self.u8(0);
                self.value(value);
            }
            Remembered::Duration(d) => {
                self.u8(1);
                self.i64(*d);
            }
            Remembered::Timestamp(t) => {
                self.u8(2);
                self.i64(*t);
            }
        }
    }
}

/// Reads what [`Writer`] wrote.
#[derive(Debug)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn take(&mut self, n: usize) -> Result<&'b [u8], Corrupt> {
        let (head, tail) = self.bytes.split_at_checked(n).ok_or(Corrupt)?;
        self.bytes = tail;
        Ok(head)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Corrupt> {
        self.take(1)?.first().copied().ok_or(Corrupt)
    }

    pub(crate) fn bool(&mut self) -> Result<bool, Corrupt> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Corrupt),
        }
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Corrupt> {
        u32::try_from(self.u64()?).map_err(|_| Corrupt)
    }

    /// A number in its shortest form.
    pub(crate) fn u64(&mut self) -> Result<u64, Corrupt> {
        let mut n = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
                return Err(Corrupt);
            }
            n |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(Corrupt)
    }

    /// How often something has happened: no session lives to see more than 2^56 events, so that counting on
    /// from it does not overflow.
    pub(crate) fn count(&mut self) -> Result<u64, Corrupt> {
        self.u64().and_then(|n| match n >> 56 {
            0 => Ok(n),
            _ => Err(Corrupt),
        })
    }

    /// Four bytes, little-endian.
    pub(crate) fn word(&mut self) -> Result<u32, Corrupt> {
        let bytes = self.take(4)?.try_into().map_err(|_| Corrupt)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Eight bytes, little-endian.
    pub(crate) fn long(&mut self) -> Result<u64, Corrupt> {
        let bytes = self.take(8)?.try_into().map_err(|_| Corrupt)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'b [u8] {
        self.bytes
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Corrupt> {
        let bytes = self.take(8)?.try_into().map_err(|_| Corrupt)?;
        Ok(i64::from_le_bytes(bytes))
    }

    /// A count of things that take at least one byte each, so that it is bounded by what is left.
    pub(crate) fn len(&mut self) -> Result<usize, Corrupt> {
        let n = usize::try_from(self.u64()?).map_err(|_| Corrupt)?;
        if n > self.bytes.len() {
            return Err(Corrupt);
        }
        Ok(n)
    }

    /// An index below `end`.
    pub(crate) fn index(&mut self, end: u32) -> Result<u32, Corrupt> {
        let n = self.u32()?;
        if n < end { Ok(n) } else { Err(Corrupt) }
    }

    pub(crate) fn str(&mut self) -> Result<&'b str, Corrupt> {
        let n = self.len()?;
        core::str::from_utf8(self.take(n)?).map_err(|_| Corrupt)
    }

    pub(crate) fn value(&mut self) -> Result<Value, Corrupt> {
        json::parse(self.str()?).map_err(|_| Corrupt)
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Corrupt>,
    ) -> Result<Option<T>, Corrupt> {
        if self.bool()? {
            read(self).map(Some)
        } else {
            Ok(None)
        }
    }

    pub(crate) fn time(&mut self) -> Result<Option<i64>, Corrupt> {
        self.option(Self::i64)
    }

    pub(crate) fn mark(&mut self) -> Result<Option<Mark>, Corrupt> {
        self.option(|from| Ok(Mark { time: from.time()? }))
    }

    /// A key of so many values.
    pub(crate) fn key(&mut self, count: u32) -> Result<Key, Corrupt> {
        let n = self.len()?;
        if u32::try_from(n) != Ok(count) {
            return Err(Corrupt);
        }
        let mut values = Vec::with_capacity(n);
        for _ in 0..n {
            values.push(self.value()?);
        }
        Ok(values.into())
    }

    pub(crate) fn remembered(&mut self) -> Result<Remembered, Corrupt> {
        Ok(match self.u8()? {
            0 => Remembered::Value(self.value()?),
            1 => Remembered::Duration(self.i64()?),
            2 => Remembered::Timestamp(self.i64()?),
            _ => return Err(Corrupt),
        })
    }
}
