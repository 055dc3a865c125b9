//! A layered layout of a graph, top to bottom (Sugiyama, Tagawa and Toda, "Methods for visual understanding
//! of hierarchical system structures", 1981): edges against the flow are turned, nodes get ranks by
//! their longest way from the first node, ranks are ordered so that edges cross little, then the places within
//! a rank are chosen by least squares.
//!
//! A label takes part as a node of its own, in a rank between those of states, and a long edge as one
//! node in each rank that it passes. So nothing is ever drawn over a label: edges pass a rank straight down and bend
//! only between ranks.

#![expect(
    clippy::indexing_slicing,
    reason = "indices of nodes, edges, items and ranks are made here"
)]

/// What a node needs around its anchor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    /// To the left of the anchor.
    pub(super) left: f64,
    /// To the right.
    pub(super) right: f64,
    /// Half above, half below.
    pub(super) height: f64,
}

/// An edge between two different nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The width and height of its label.
    pub(super) label: (f64, f64),
}

/// A point; `y` grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// Where an edge goes.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// From the border of its source to that of its target. From each point with an even index to the
    /// next one it bends, else it runs straight down or up.
    pub(super) points: Vec<Point>,
    /// Where the label's box begins, on the left and in the middle of its height.
    pub(super) label: Point,
}

/// A layout; the smallest coordinates are 0.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) nodes: Vec<Point>,
    pub(super) edges: Vec<Route>,
}

/// Between neighbours of a rank.
const GAP: f64 = 18.0;
/// Between ranks, at least.
const RANK_GAP: f64 = 24.0;
/// Between an edge and its label.
const LABEL_GAP: f64 = 6.0;
/// Rounds of reordering.
const ROUNDS: usize = 32;
/// Rounds of moving, the last of them with an eye on both sides.
const MOVES: usize = 60;
const LAST_MOVES: usize = 12;

/// A node, or a place where an edge passes a rank.
struct Item {
    rank: usize,
    extent: Extent,
    /// Neighbours above and below, with what a bend there costs.
    up: Vec<(usize, f64)>,
    down: Vec<(usize, f64)>,
}

/// Lays out a graph whose nodes are all reachable from node 0. Nodes are circles of this radius
/// around their anchors, whatever room they take.
pub(super) fn layout(nodes: &[Extent], edges: &[Edge], radius: f64) -> Layout {
    let turned = turned(nodes.len(), edges);
    let ranks = ranks(nodes.len(), edges, &turned);
    let mut items: Vec<Item> = nodes
        .iter()
        .zip(&ranks)
        .map(|(extent, rank)| Item {
            rank: *rank,
            extent: *extent,
            up: Vec::new(),
            down: Vec::new(),
        })
        .collect();
    // For each edge its items from the upper node to the lower one, and which of them has the label.
    let chains: Vec<(Vec<usize>, usize)> = edges
        .iter()
        .zip(&turned)
        .map(|(edge, turned)| chain(&mut items, edge, *turned))
        .collect();
    let order = ordered(&items);
    let mut xs = across(&items, &order);
    straighten(&items, &order, &chains, &mut xs);
    let (ys, heights) = down(&items, &order, &xs);
    let at = |item: usize| Point {
        x: xs[item],
        y: ys[items[item].rank],
    };
    let ports = ports(nodes.len(), &chains, &xs, radius);
    let mut routes: Vec<Route> = chains
        .iter()
        .zip(&ports)
        .map(|((chain, label), (first, last))| {
            let mut points = Vec::with_capacity(chain.len() * 2);
            let lift = |dx: f64| (radius * radius - dx * dx).max(0.0).sqrt();
            for (index, item) in chain.iter().enumerate() {
                let here = at(*item);
                if index == 0 {
                    points.push(Point {
                        x: here.x + first,
                        y: here.y + lift(*first),
                    });
                } else if index + 1 == chain.len() {
                    points.push(Point {
                        x: here.x + last,
                        y: here.y - lift(*last),
                    });
                } else {
                    let half = heights[items[*item].rank] / 2.0;
                    points.push(Point {
                        x: here.x,
                        y: here.y - half,
                    });
                    points.push(Point {
                        x: here.x,
                        y: here.y + half,
                    });
                }
            }
            let label = at(chain[*label]);
            Route {
                points,
                label: Point {
                    x: label.x + LABEL_GAP,
                    y: label.y,
                },
            }
        })
        .collect();
    for (route, turned) in routes.iter_mut().zip(&turned) {
        if *turned {
            route.points.reverse();
        }
    }
    framed(&items, &xs, &ys, &heights, nodes.len(), routes)
}

/// Moves everything so that it begins at 0.
fn framed(
    items: &[Item],
    xs: &[f64],
    ys: &[f64],
    heights: &[f64],
    nodes: usize,
    mut edges: Vec<Route>,
) -> Layout {
    let left = |(item, x): (&Item, &f64)| x - item.extent.left;
    let right = |(item, x): (&Item, &f64)| x + item.extent.right;
    let min = items.iter().zip(xs).map(left).fold(f64::MAX, f64::min);
    let max = items.iter().zip(xs).map(right).fold(f64::MIN, f64::max);
    let height = match (ys.last(), heights.last()) {
        (Some(y), Some(height)) => y + height / 2.0,
        _ => 0.0,
    };
    for route in &mut edges {
        for point in &mut route.points {
            point.x -= min;
        }
        route.label.x -= min;
    }
    Layout {
        width: (max - min).max(0.0),
        height,
        nodes: items
            .iter()
            .zip(xs)
            .take(nodes)
            .map(|(item, x)| Point {
                x: x - min,
                y: ys[item.rank],
            })
            .collect(),
        edges,
    }
}

/// The edges that lead back to a node from which a depth-first search came.
fn turned(nodes: usize, edges: &[Edge]) -> Vec<bool> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (index, edge) in edges.iter().enumerate() {
        out[edge.from].push(index);
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Done,
    }
    let mut seen = vec![Seen::Not; nodes];
    let mut turned = vec![false; edges.len()];
    for root in 0..nodes {
        if seen[root] != Seen::Not {
            continue;
        }
        seen[root] = Seen::Open;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.pop() {
            let Some(edge) = out[node].get(next) else {
                seen[node] = Seen::Done;
                continue;
            };
            stack.push((node, next + 1));
            let to = edges[*edge].to;
            match seen[to] {
                Seen::Open => turned[*edge] = true,
                Seen::Done => {}
                Seen::Not => {
                    seen[to] = Seen::Open;
                    stack.push((to, 0));
                }
            }
        }
    }
    turned
}

/// The upper and the lower end of an edge.
fn ends(edge: &Edge, turned: bool) -> (usize, usize) {
    if turned {
        (edge.to, edge.from)
    } else {
        (edge.from, edge.to)
    }
}

/// Twice the length of the longest way to each node: labels stand in the ranks between.
fn ranks(nodes: usize, edges: &[Edge], turned: &[bool]) -> Vec<usize> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut open = vec![0_usize; nodes];
    for (edge, turned) in edges.iter().zip(turned) {
        let (upper, lower) = ends(edge, *turned);
        below[upper].push(lower);
        open[lower] += 1;
    }
    let mut ranks = vec![0_usize; nodes];
    let mut ready: Vec<usize> = (0..nodes).filter(|node| open[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for lower in &below[node] {
            ranks[*lower] = ranks[*lower].max(ranks[node] + 2);
            open[*lower] -= 1;
            if open[*lower] == 0 {
                ready.push(*lower);
            }
        }
    }
    ranks
}

/// Makes the items of an edge.
fn chain(items: &mut Vec<Item>, edge: &Edge, turned: bool) -> (Vec<usize>, usize) {
    let (upper, lower) = ends(edge, turned);
    let (top, bottom) = (items[upper].rank, items[lower].rank);
    // Next to the state that the edge leaves.
    let label_rank = if turned { bottom - 1 } else { top + 1 };
    let mut chain = vec![upper];
    let mut label = 1;
    for rank in top + 1..bottom {
        let has_label = rank == label_rank;
        let (width, height) = if has_label { edge.label } else { (0.0, 0.0) };
        if has_label {
            label = chain.len();
        }
        chain.push(items.len());
        items.push(Item {
            rank,
            extent: Extent {
                left: 2.0,
                right: if width > 0.0 { width + LABEL_GAP } else { 2.0 },
                height,
            },
            up: Vec::new(),
            down: Vec::new(),
        });
    }
    chain.push(lower);
    for (index, pair) in chain.windows(2).enumerate() {
        // Long edges are to be straight: a bend in the middle of one is worse than at its end.
        let ends = usize::from(index == 0) + usize::from(index + 2 == chain.len());
        let weight = match ends {
            0 => 40.0,
            1 => 2.0,
            _ => 1.0,
        };
        items[pair[0]].down.push((pair[1], weight));
        items[pair[1]].up.push((pair[0], weight));
    }
    (chain, label)
}

/// The items of each rank from left to right.
fn ordered(items: &[Item]) -> Vec<Vec<usize>> {
    let count = items.iter().map(|item| item.rank + 1).max().unwrap_or(0);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); count];
    // As a depth-first search meets them: what hangs together starts together.
    let mut seen = vec![false; items.len()];
    for root in 0..items.len() {
        let mut stack = vec![root];
        while let Some(item) = stack.pop() {
            if std::mem::replace(&mut seen[item], true) {
                continue;
            }
            order[items[item].rank].push(item);
            stack.extend(items[item].down.iter().rev().map(|(next, _)| *next));
        }
    }
    let mut best = order.clone();
    let mut fewest = crossings(items, &order);
    for round in 0..ROUNDS {
        if fewest == 0 {
            break;
        }
        let downwards = round % 2 == 0;
        let mut places = places(items, &order);
        let ranks: Vec<usize> = if downwards {
            (1..count).collect()
        } else {
            (0..count.saturating_sub(1)).rev().collect()
        };
        for rank in ranks {
            let mut keyed: Vec<(f64, usize)> = order[rank]
                .iter()
                .map(|item| {
                    let near = if downwards {
                        &items[*item].up
                    } else {
                        &items[*item].down
                    };
                    let key = if near.is_empty() {
                        places[*item]
                    } else {
                        near.iter().map(|(other, _)| places[*other]).sum::<f64>()
                            / near.len() as f64
                    };
                    (key, *item)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[rank] = keyed.into_iter().map(|(_, item)| item).collect();
            for (place, item) in order[rank].iter().enumerate() {
                places[*item] = place as f64;
            }
        }
        swap_neighbours(items, &mut order);
        let now = crossings(items, &order);
        if now < fewest {
            fewest = now;
            best.clone_from(&order);
        }
    }
    best
}

fn places(items: &[Item], order: &[Vec<usize>]) -> Vec<f64> {
    let mut places = vec![0.0; items.len()];
    for rank in order {
        for (place, item) in rank.iter().enumerate() {
            places[*item] = place as f64;
        }
    }
    places
}

/// How often edges cross.
fn crossings(items: &[Item], order: &[Vec<usize>]) -> usize {
    let places = places(items, order);
    order
        .iter()
        .map(|rank| {
            let mut ends: Vec<f64> = Vec::new();
            let mut count = 0;
            for item in rank {
                let below: Vec<f64> = items[*item].down.iter().map(|(b, _)| places[*b]).collect();
                for end in &below {
                    count += ends.iter().filter(|other| *other > end).count();
                }
                ends.extend(below);
            }
            count
        })
        .sum()
}

/// Exchanges neighbours where their own edges then cross less.
fn swap_neighbours(items: &[Item], order: &mut [Vec<usize>]) {
    let mut places = places(items, order);
    for rank in order.iter_mut() {
        for left in 0..rank.len().saturating_sub(1) {
            let (a, b) = (rank[left], rank[left + 1]);
            let cross = |a: usize, b: usize| -> usize {
                [
                    (&items[a].up, &items[b].up),
                    (&items[a].down, &items[b].down),
                ]
                .into_iter()
                .map(|(of_a, of_b)| {
                    of_a.iter()
                        .map(|(a, _)| of_b.iter().filter(|(b, _)| places[*a] > places[*b]).count())
                        .sum::<usize>()
                })
                .sum()
            };
            if cross(b, a) < cross(a, b) {
                rank.swap(left, left + 1);
                places.swap(a, b);
            }
        }
    }
}

/// The horizontal place of each item: neighbours of a rank apart, edges as straight as can be.
fn across(items: &[Item], order: &[Vec<usize>]) -> Vec<f64> {
    let mut xs = vec![0.0; items.len()];
    for rank in order {
        let mut x = 0.0;
        for item in rank {
            x += items[*item].extent.left;
            xs[*item] = x;
            x += items[*item].extent.right + GAP;
        }
    }
    for round in 0..MOVES {
        let last = round + LAST_MOVES >= MOVES;
        let downwards = round % 2 == 0;
        let ranks: Vec<usize> = if downwards {
            (0..order.len()).collect()
        } else {
            (0..order.len()).rev().collect()
        };
        for rank in ranks {
            let wanted: Vec<(f64, f64)> = order[rank]
                .iter()
                .map(|item| {
                    let item_ = &items[*item];
                    let above = downwards || last;
                    let below = !downwards || last;
                    let near = item_
                        .up
                        .iter()
                        .filter(|_| above)
                        .chain(item_.down.iter().filter(|_| below));
                    let (sum, weight) = near.fold((0.0, 0.0), |(sum, total), (other, weight)| {
                        (sum + xs[*other] * weight, total + weight)
                    });
                    if weight > 0.0 {
                        (sum / weight, weight)
                    } else {
                        (xs[*item], 0.01)
                    }
                })
                .collect();
            for (item, x) in order[rank].iter().zip(apart(items, &order[rank], &wanted)) {
                xs[*item] = x;
            }
        }
    }
    xs
}

/// Puts what a long edge passes under each other, as far down as its neighbours leave room for that.
fn straighten(
    items: &[Item],
    order: &[Vec<usize>],
    chains: &[(Vec<usize>, usize)],
    xs: &mut [f64],
) {
    let mut place = vec![0; items.len()];
    for rank in order {
        for (index, item) in rank.iter().enumerate() {
            place[*item] = index;
        }
    }
    for _ in 0..4 {
        for (chain, _) in chains {
            let mut rest = chain.get(1..chain.len() - 1).unwrap_or_default();
            while !rest.is_empty() {
                let mut room = (f64::MIN, f64::MAX);
                let mut run = 0;
                for item in rest {
                    let (rank, extent) = (&order[items[*item].rank], items[*item].extent);
                    let at = place[*item];
                    let before = at.checked_sub(1).map(|index| rank[index]);
                    let low = before.map_or(f64::MIN, |other| {
                        xs[other] + items[other].extent.right + GAP + extent.left
                    });
                    let high = rank.get(at + 1).map_or(f64::MAX, |other| {
                        xs[*other] - items[*other].extent.left - GAP - extent.right
                    });
                    let both = (room.0.max(low), room.1.min(high));
                    if both.0 > both.1 {
                        break;
                    }
                    room = both;
                    run += 1;
                }
                let (these, others) = rest.split_at(run.max(1));
                if run > 1 {
                    let mean = these.iter().map(|item| xs[*item]).sum::<f64>() / run as f64;
                    for item in these {
                        xs[*item] = mean.max(room.0).min(room.1);
                    }
                }
                rest = others;
            }
        }
    }
}

/// The places nearest to the wanted ones, in weighted squares, that keep neighbours apart. With the room before
/// each item taken off this is isotonic regression, and pooling adjacent violators solves it (Barlow et al.,
/// "Statistical Inference under Order Restrictions", 1972).
fn apart(items: &[Item], rank: &[usize], wanted: &[(f64, f64)]) -> Vec<f64> {
    let mut room = Vec::with_capacity(rank.len());
    let mut sum = 0.0;
    for (index, item) in rank.iter().enumerate() {
        if index > 0 {
            sum += items[rank[index - 1]].extent.right + GAP + items[*item].extent.left;
        }
        room.push(sum);
    }
    // Mean, weight, members.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for ((place, weight), room) in wanted.iter().zip(&room) {
        pools.push((place - room, *weight, 1));
        while let [
            ..,
            (mean_a, weight_a, members_a),
            (mean_b, weight_b, members_b),
        ] = pools.as_slice()
            && mean_a > mean_b
        {
            let weight = weight_a + weight_b;
            let merged = (
                (mean_a * weight_a + mean_b * weight_b) / weight,
                weight,
                members_a + members_b,
            );
            pools.truncate(pools.len() - 2);
            pools.push(merged);
        }
    }
    pools
        .into_iter()
        .flat_map(|(mean, _, members)| std::iter::repeat_n(mean, members))
        .zip(room)
        .map(|(mean, room)| mean + room)
        .collect()
}

/// The middle and the height of each rank. The further edges go sideways between two ranks, the more
/// room they have to do so.
fn down(items: &[Item], order: &[Vec<usize>], xs: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let heights: Vec<f64> = order
        .iter()
        .map(|rank| {
            rank.iter()
                .map(|item| items[*item].extent.height)
                .fold(0.0, f64::max)
        })
        .collect();
    let mut middles = Vec::with_capacity(order.len());
    let mut top = 0.0;
    for (rank, height) in order.iter().zip(&heights) {
        middles.push(top + height / 2.0);
        let sideways = rank
            .iter()
            .flat_map(|item| {
                items[*item]
                    .down
                    .iter()
                    .map(|(below, _)| (xs[*below] - xs[*item]).abs())
            })
            .fold(0.0, f64::max);
        top += height + RANK_GAP + (sideways * 0.14).min(44.0);
    }
    (middles, heights)
}

/// For each edge how far from the middle of its upper and its lower node it begins and ends: edges
/// that share a side of a node spread over it in their order.
fn ports(nodes: usize, chains: &[(Vec<usize>, usize)], xs: &[f64], radius: f64) -> Vec<(f64, f64)> {
    let mut lower: Vec<Vec<(f64, usize)>> = vec![Vec::new(); nodes];
    let mut upper: Vec<Vec<(f64, usize)>> = vec![Vec::new(); nodes];
    for (edge, (chain, _)) in chains.iter().enumerate() {
        if let [first, second, .., last] = chain.as_slice() {
            let before = chain[chain.len() - 2];
            lower[*first].push((xs[*second], edge));
            upper[*last].push((xs[before], edge));
        }
    }
    let mut ports = vec![(0.0, 0.0); chains.len()];
    let spread = |side: &mut Vec<(f64, usize)>| -> Vec<(usize, f64)> {
        side.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = side.len() as f64;
        side.iter()
            .enumerate()
            .map(|(index, (_, edge))| {
                let part = (index as f64 + 1.0) / (count + 1.0);
                (*edge, radius * 0.9 * (2.0 * part - 1.0))
            })
            .collect()
    };
    for node in 0..nodes {
        for (edge, dx) in spread(&mut lower[node]) {
            ports[edge].0 = dx;
        }
        for (edge, dx) in spread(&mut upper[node]) {
            ports[edge].1 = dx;
        }
    }
    ports
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const RADIUS: f64 = 20.0;

    fn node() -> Extent {
        Extent {
            left: RADIUS,
            right: RADIUS + 80.0,
            height: 2.0 * RADIUS,
        }
    }

    fn random(seed: u64, nodes: usize, more: usize) -> Vec<Edge> {
        let mut seed = seed;
        let mut draw = |below: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut pairs: Vec<(usize, usize)> = (1..nodes).map(|to| (draw(to), to)).collect();
        for _ in 0..more {
            let pair = (draw(nodes), draw(nodes));
            if pair.0 != pair.1 && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        pairs
            .into_iter()
            .map(|(from, to)| Edge {
                from,
                to,
                label: (40.0 + draw(200) as f64, 12.0 + draw(40) as f64),
            })
            .collect()
    }

    type Box = (f64, f64, f64, f64);

    fn meet(a: Box, b: Box) -> bool {
        a.0 < b.2 - 0.1 && b.0 < a.2 - 0.1 && a.1 < b.3 - 0.1 && b.1 < a.3 - 0.1
    }

    #[test]
    fn nothing_covers_anything() {
        for seed in 0..60 {
            let nodes = 2 + seed as usize % 9;
            let edges = random(seed, nodes, nodes);
            let layout = layout(&vec![node(); nodes], &edges, RADIUS);
            let mut boxes: Vec<Box> = layout
                .nodes
                .iter()
                .map(|p| {
                    (
                        p.x - RADIUS,
                        p.y - RADIUS,
                        p.x + RADIUS + 80.0,
                        p.y + RADIUS,
                    )
                })
                .collect();
            for (edge, route) in edges.iter().zip(&layout.edges) {
                let (width, height) = edge.label;
                let (x, y) = (route.label.x, route.label.y - height / 2.0);
                boxes.push((x, y, x + width, y + height));
            }
            for (index, a) in boxes.iter().enumerate() {
                assert!(
                    a.0 >= -0.1
                        && a.1 >= -0.1
                        && a.2 <= layout.width + 0.1
                        && a.3 <= layout.height + 0.1,
                    "seed {seed}: {a:?} outside {} x {}",
                    layout.width,
                    layout.height
                );
                for b in boxes.iter().skip(index + 1) {
                    assert!(!meet(*a, *b), "seed {seed}: {a:?} and {b:?}");
                }
            }
            // The straight parts of edges pass beside every label and node; bends lie between ranks.
            for route in &layout.edges {
                for pair in route.points.get(1..).unwrap().chunks(2) {
                    if let [a, b] = pair {
                        assert!((a.x - b.x).abs() < 0.01, "seed {seed}: not straight");
                        let line = (a.x - 0.1, a.y.min(b.y), a.x + 0.1, a.y.max(b.y));
                        assert!(
                            boxes.iter().all(|c| !meet(line, *c)),
                            "seed {seed}: an edge runs over something"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let edges: Vec<Edge> = (0..4)
            .map(|from| Edge {
                from,
                to: from + 1,
                label: (30.0, 12.0),
            })
            .collect();
        let layout = layout(&[node(); 5], &edges, RADIUS);
        let first = layout.nodes.first().unwrap().x;
        assert!(layout.nodes.iter().all(|p| (p.x - first).abs() < 0.5));
        assert!(layout.nodes.is_sorted_by(|a, b| a.y < b.y));
    }

    #[test]
    fn what_can_be_planar_is() {
        // A diamond with an edge past it.
        let edge = |from, to| Edge {
            from,
            to,
            label: (20.0, 12.0),
        };
        let edges = [edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3), edge(0, 3)];
        let turned = turned(4, &edges);
        let ranks = ranks(4, &edges, &turned);
        assert_eq!(ranks, [0, 2, 2, 4]);
        let mut items: Vec<Item> = ranks
            .iter()
            .map(|rank| Item {
                rank: *rank,
                extent: node(),
                up: Vec::new(),
                down: Vec::new(),
            })
            .collect();
        for (edge, turned) in edges.iter().zip(&turned) {
            chain(&mut items, edge, *turned);
        }
        assert_eq!(crossings(&items, &ordered(&items)), 0);
    }
}
