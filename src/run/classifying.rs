//! `misnomer classify`.

use super::inputs;
use crate::classify::{self, Classified, Known, LONGEST_INPUT};
use crate::cli::{ClassifyArgs, ClassifyFormat, Global};
use anyhow::{Context, Result, bail};
use std::io::{IsTerminal, Read, Write};

/// Says what one failure is (from flags), or each record of standard input.
///
/// # Errors
/// If nothing is given, or standard input can't be read.
pub fn classify(global: &Global, args: &ClassifyArgs) -> Result<u8> {
    let settings = inputs::settings(global, &[])?;
    let patterns = inputs::patterns(global, &settings)?;
    let known = Known {
        recorded: args.recorded.clone(),
        status: args.status,
        exception: args.exception.clone(),
        code: args.code.clone(),
        message: args.message.clone(),
    };
    let flags_only = Known {
        recorded: None,
        ..known.clone()
    };
    let all = if !flags_only.is_empty() || std::io::stdin().is_terminal() {
        vec![classify::classify(&known, &settings, &patterns)?]
    } else {
        let mut text = Vec::new();
        std::io::stdin()
            .lock()
            .take(LONGEST_INPUT + 1)
            .read_to_end(&mut text)
            .context("standard input can't be read")?;
        if text.len() as u64 > LONGEST_INPUT {
            bail!(
                "standard input holds more than {} MiB of records; `misnomer audit -` reads any amount",
                LONGEST_INPUT >> 20
            );
        }
        if text.trim_ascii().is_empty() {
            vec![classify::classify(&known, &settings, &patterns)?]
        } else {
            classify::records(&text, known.recorded.as_deref(), &settings, &patterns)
        }
    };
    let mut out = std::io::stdout().lock();
    for (index, one) in all.iter().enumerate() {
        write(&mut out, one, args.format, index > 0)?;
    }
    out.flush()?;
    Ok(super::DONE)
}

fn write(
    out: &mut impl Write,
    one: &Classified,
    format: ClassifyFormat,
    follows: bool,
) -> Result<()> {
    match format {
        ClassifyFormat::Name => writeln!(out, "{}", one.cause)?,
        ClassifyFormat::Json => writeln!(out, "{}", serde_json::to_string(one)?)?,
        ClassifyFormat::Text => {
            if follows {
                writeln!(out)?;
            }
            write!(out, "{}", one.text())?;
        }
    }
    Ok(())
}
