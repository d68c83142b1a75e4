//! Rows in straight columns within a width, also with wide characters; what does not fit beside goes below.

use anstyle::{AnsiColor, Style as Ansi};
use comfy_table::{
    Attribute, Cell as Drawn, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table,
    Width, presets,
};
use unicode_width::UnicodeWidthStr;

/// Before each row.
const INDENT: usize = 2;
/// Between two columns.
const GAP: usize = 2;

/// What colour says again; nothing depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tint {
    /// As it is.
    #[default]
    Plain,
    /// A heading.
    Bold,
    /// A wrong name.
    Bad,
    /// A name that says nothing.
    Vague,
    /// Where to look.
    Dim,
}

impl Tint {
    fn ansi(self) -> Ansi {
        match self {
            Tint::Plain => Ansi::new(),
            Tint::Bold => Ansi::new().bold(),
            Tint::Bad => AnsiColor::Red.on_default(),
            Tint::Vague => AnsiColor::Yellow.on_default(),
            Tint::Dim => Ansi::new().dimmed(),
        }
    }

    fn draw(self, cell: Drawn) -> Drawn {
        match self {
            Tint::Plain => cell,
            Tint::Bold => cell.add_attribute(Attribute::Bold),
            Tint::Bad => cell.fg(Color::DarkRed),
            Tint::Vague => cell.fg(Color::DarkYellow),
            Tint::Dim => cell.add_attribute(Attribute::Dim),
        }
    }

    /// The text in this tint.
    pub fn paint(self, text: &str, color: bool) -> String {
        let ansi = self.ansi();
        if !color || ansi == Ansi::new() {
            return text.to_owned();
        }
        format!("{ansi}{text}{ansi:#}")
    }
}

/// A column: its heading, and how it behaves when there is little room.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The heading.
    pub head: &'static str,
    /// It may be narrowed to this; 0 means that it is never broken.
    pub least: usize,
    /// Whether it holds numbers.
    pub right: bool,
    /// Whether it may stand below the row instead.
    pub below: bool,
}

impl Column {
    /// A column of text that wraps, but is never narrower than `least`.
    pub const fn text(head: &'static str, least: usize) -> Column {
        Column {
            head,
            least,
            right: false,
            below: false,
        }
    }

    /// A column of numbers.
    pub const fn number(head: &'static str) -> Column {
        Column {
            head,
            least: 0,
            right: true,
            below: false,
        }
    }

    /// A column that is never broken.
    pub const fn whole(head: &'static str) -> Column {
        Column {
            head,
            least: 0,
            right: false,
            below: false,
        }
    }

    /// The cell as it stands below: a heading that asks a question goes with it.
    fn label(&self, cell: &Cell) -> Cell {
        match self.head.ends_with('?') {
            true => Cell::new(format!("{} {}", self.head, cell.text), cell.tint),
            false => cell.clone(),
        }
    }

    /// It may stand below the row.
    pub const fn or_below(self) -> Column {
        Column {
            below: true,
            ..self
        }
    }
}

/// One cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// What it shows, escaped already.
    pub text: String,
    /// How it is coloured.
    pub tint: Tint,
}

impl Cell {
    /// A cell in a tint.
    pub fn new(text: impl Into<String>, tint: Tint) -> Cell {
        Cell {
            text: text.into(),
            tint,
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell::new(text, Tint::Plain)
    }
}

/// One row: a cell for each column, and what always stands below.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// Lines below it.
    pub below: Vec<Cell>,
}

impl From<Vec<Cell>> for Row {
    fn from(cells: Vec<Cell>) -> Row {
        Row {
            cells,
            below: Vec::new(),
        }
    }
}

/// Draws the rows within `width`.
pub fn draw(columns: &[Column], rows: &[Row], width: usize, color: bool) -> Vec<String> {
    let natural: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().filter_map(|r| r.cells.get(at));
            let widest = cells.map(|c| c.text.width()).max().unwrap_or(0);
            widest.max(column.head.width())
        })
        .collect();
    let room = width.saturating_sub(INDENT);
    let beside = fits(columns, &natural, room, true);
    let shown: Vec<usize> = (0..columns.len())
        .filter(|at| beside || !columns.get(*at).is_some_and(|c| c.below))
        .collect();
    let chosen: Vec<Column> = pick(columns, &shown);
    let widths = shrink(&chosen, pick(&natural, &shown), room);

    let mut lines = Vec::new();
    if chosen.iter().any(|c| !c.head.is_empty()) {
        let heads: Vec<Cell> = chosen
            .iter()
            .map(|c| Cell::new(c.head, Tint::Dim))
            .collect();
        lines.extend(line_up(&chosen, &heads, &widths, color));
    }
    for row in rows {
        lines.extend(line_up(&chosen, &pick(&row.cells, &shown), &widths, color));
        let mut below: Vec<Cell> = Vec::new();
        if !beside {
            let moved = columns.iter().zip(&row.cells).filter(|(c, _)| c.below);
            below.extend(moved.map(|(column, cell)| column.label(cell)));
        }
        lines.extend(under(&below, width, color));
        for cell in &row.below {
            lines.extend(under(std::slice::from_ref(cell), width, color));
        }
    }
    lines
}

fn pick<T: Clone>(of: &[T], at: &[usize]) -> Vec<T> {
    at.iter().filter_map(|i| of.get(*i)).cloned().collect()
}

/// What stands below a row: on one line if it fits there, else one line or more for each.
fn under(cells: &[Cell], width: usize, color: bool) -> Vec<String> {
    let cells: Vec<&Cell> = cells.iter().filter(|c| !c.text.is_empty()).collect();
    let indent = 2 * INDENT + 2;
    let room = width.saturating_sub(indent);
    let plain: usize = cells.iter().map(|c| c.text.width() + 3).sum();
    let margin = " ".repeat(indent);
    if cells.is_empty() {
        return Vec::new();
    }
    if plain <= room + 3 {
        let painted: Vec<String> = cells.iter().map(|c| c.tint.paint(&c.text, color)).collect();
        return vec![format!("{margin}{}", painted.join(" · "))];
    }
    let mut lines = Vec::new();
    for cell in cells {
        // A place is never broken: a terminal that wraps it still lets it be clicked and pasted.
        let broken = match cell.text.contains(' ') {
            true => wrap(&cell.text, room),
            false => vec![cell.text.clone()],
        };
        for line in broken {
            lines.push(format!("{margin}{}", cell.tint.paint(&line, color)));
        }
    }
    lines
}

fn floor(column: &Column, natural: usize) -> usize {
    if column.least == 0 {
        natural
    } else {
        natural.min(column.least)
    }
}

fn fits(columns: &[Column], natural: &[usize], room: usize, all: bool) -> bool {
    let used: usize = columns
        .iter()
        .zip(natural)
        .filter(|(c, _)| all || !c.below)
        .map(|(c, n)| floor(c, *n) + GAP)
        .sum();
    used <= room + GAP
}

/// Narrows the widest columns first until all fit; columns that should stay whole give way last.
fn shrink(columns: &[Column], mut widths: Vec<usize>, room: usize) -> Vec<usize> {
    let room = room.saturating_sub(GAP * columns.len().saturating_sub(1));
    let floors: Vec<usize> = columns
        .iter()
        .zip(&widths)
        .map(|(c, w)| floor(c, *w))
        .collect();
    for least in [floors, vec![6; columns.len()], vec![1; columns.len()]] {
        while widths.iter().sum::<usize>() > room {
            let widest = widths
                .iter_mut()
                .zip(&least)
                .filter(|(w, least)| **w > **least)
                .max_by_key(|(w, _)| **w);
            match widest {
                Some((w, _)) => *w -= 1,
                None => break,
            }
        }
    }
    widths
}

/// One row in its columns, as many lines as its highest cell needs.
fn line_up(columns: &[Column], cells: &[Cell], widths: &[usize], color: bool) -> Vec<String> {
    let mut table = bare(INDENT + widths.iter().map(|w| w + GAP).sum::<usize>());
    if color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.style_text_only();
    table.add_row(
        cells
            .iter()
            .zip(columns)
            .zip(widths)
            .map(|((cell, column), width)| {
                let drawn = cell.tint.draw(Drawn::new(at_joints(&cell.text, *width)));
                if column.right {
                    drawn.set_alignment(CellAlignment::Right)
                } else {
                    drawn
                }
            }),
    );
    for (column, width) in table.column_iter_mut().zip(widths) {
        column.set_padding((0, GAP as u16));
        let whole = u16::try_from(width + GAP).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(whole)));
    }
    let margin = " ".repeat(INDENT);
    table
        .lines()
        .map(|l| format!("{margin}{l}").trim_end().to_owned())
        .collect()
}

/// Slugs and lanes have no spaces: such a word gets its line ends after its own joints where it can.
fn at_joints(text: &str, width: usize) -> String {
    if text.width() <= width || text.contains(' ') {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for part in text.split_inclusive(['-', '_', '/', '.']) {
        if used > 0 && used + part.width() > width {
            out.push('\n');
            used = 0;
        }
        out.push_str(part);
        used += part.width();
    }
    out
}

/// Prose in lines of at most `width` columns, broken between words where it can be.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(8);
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut table = bare(width);
    table.force_no_tty();
    table.add_row([text]);
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
    }
    table.lines().map(|l| l.trim_end().to_owned()).collect()
}

fn bare(width: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table
}
