"""Slow and obvious reference implementations, dense and with plain loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
from sklearn.metrics import ndcg_score


def objective(A, W, H, seen, unseen, target, reg):
    """The objective of `pugraph.core.problem`, entry by entry."""
    X = W @ H.T
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j]:
                total += seen * (X[i, j] - target) ** 2
            else:
                total += unseen * X[i, j] ** 2
    return total + reg / 2 * ((W**2).sum() + (H**2).sum())


def loss_gradient(A, X, seen, unseen, target):
    """The gradient of the loss with respect to X."""
    return np.where(A != 0, 2 * seen * (X - target), 2 * unseen * X)


def gradient(A, W, H, seen, unseen, target, reg):
    """The gradients of the objective with respect to W and to H."""
    G = loss_gradient(A, W @ H.T, seen, unseen, target)
    return G @ H + reg * W, G.T @ W + reg * H


def solve_rows(A, H, seen, unseen, target, reg):
    """The best W for a given H: a dense linear system per row."""
    W = np.empty((A.shape[0], H.shape[1]))
    for i in range(A.shape[0]):
        weights = np.where(A[i] != 0, seen, unseen)
        targets = np.where(A[i] != 0, target, 0.0)
        system = 2 * H.T @ (weights[:, None] * H) + reg * np.eye(H.shape[1])
        W[i] = np.linalg.solve(system, 2 * H.T @ (weights * targets))
    return W


def neighbor_shares(links, H, other, seen, unseen, target, reg):
    """What each link of a row adds to its product with `other`: a linear system per link."""
    weights = np.where(links != 0, seen, unseen)
    system = 2 * H.T @ (weights[:, None] * H) + reg * np.eye(H.shape[1])
    return {
        int(j): float(np.linalg.solve(system, 2 * seen * target * H[j]) @ other)
        for j in np.flatnonzero(links)
    }


def _best_coordinates(A, W, H, r, seen, unseen, target, reg):
    """The best W[:, r] with everything else fixed."""
    weights = np.where(A != 0, seen, unseen)
    rest = np.where(A != 0, target, 0.0) - W @ H.T + np.outer(W[:, r], H[:, r])
    h = H[:, r]
    return 2 * (weights * rest) @ h / (2 * weights @ h**2 + reg)


def _row_values(A, W, H, seen, unseen, target, reg):
    """The part of the objective that belongs to each row of W."""
    X = W @ H.T
    loss = np.where(A != 0, seen * (X - target) ** 2, unseen * X**2).sum(axis=1)
    return loss + reg / 2 * (W**2).sum(axis=1)


def relax(A, W, better, H, omega, *weights):
    """Over-relaxation: each row moves towards `better` by omega times the best step length."""
    direction = better - W
    minus, zero, plus = (_row_values(A, W + t * direction, H, *weights) for t in (-1, 0, 1))
    curvature = plus + minus - 2 * zero
    positive = curvature > 0
    best = np.where(positive, (minus - plus) / (2 * np.where(positive, curvature, 1)), 0)
    return W + omega * best[:, None] * direction


def ccd_sweep(A, W, H, ranks, passes, omega, *weights):
    """One sweep of CCD++ over groups of ranks: columns of W, then columns of H."""
    for first in range(0, W.shape[1], ranks):
        group = range(first, min(first + ranks, W.shape[1]))
        W = relax(A, W, _group_pass(A, W, H, group, passes, *weights), H, omega, *weights)
        H = relax(A.T, H, _group_pass(A.T, H, W, group, passes, *weights), W, omega, *weights)
    return W, H


def _group_pass(A, W, H, group, passes, *weights):
    """W after some passes over the columns of a group."""
    W = W.copy()
    for _ in range(passes):
        for r in group:
            W[:, r] = _best_coordinates(A, W, H, r, *weights)
    return W


def bounded_rows(A, W, H, target, reg, top, limit, passes, omega):
    """A half sweep of `bounded`: entries of at most `top`, squared lengths of at most `limit`."""
    G = H.T @ H + reg / 2 * np.eye(H.shape[1])
    return np.array([_bounded_row(G, target * a @ H, w, top, limit, passes, omega)
                     for a, w in zip(A, W, strict=True)])  # fmt: skip


def _bounded_row(G, rhs, old, top, limit, passes, omega):
    """Coordinate descent, scaled to the surface of the ball, and over-relaxation."""

    def value(w):
        return w @ G @ w - 2 * w @ rhs

    def inside(w):
        return w * min(1.0, np.sqrt(limit / max(w @ w, 1e-300)))

    w = old.copy()
    active = (w > 0) | (rhs - G @ w > 0)
    if active.sum() > w.size // 2:  # most of them: then all
        active[:] = True
    mu = 0.0
    if w @ w > limit * (1 - 1e-5):
        mu = max(w @ (rhs - G @ w) / (w @ w), 0.0)
    for _ in range(passes):
        for a in np.flatnonzero(active):
            curvature = G[a, a] + mu
            if curvature > 0:
                w[a] = np.clip(w[a] + (rhs[a] - G[a] @ w - mu * w[a]) / curvature, 0, top)
        if w @ w > limit or (mu > 0 and w.any()):
            w *= np.sqrt(limit / (w @ w))
            mu = max(w @ (rhs - G @ w) / limit, 0.0)
    slope, curvature = (w - old) @ (rhs - G @ old), (w - old) @ G @ (w - old)
    if 2 * slope <= curvature:  # it would rise: the lowest point on the way
        w = old + (slope / curvature * (w - old) if slope > 0 else 0)
    far = inside(np.clip(old + omega * (w - old), 0, top))
    return far if value(far) <= value(old) else w


def project(kind, factor):
    """The projection of each row on the box, or on the non-negative part of the ball."""
    if kind == "box":
        return np.clip(factor, 0, 1 / np.sqrt(factor.shape[1]))
    factor = np.maximum(factor, 0)
    return factor / np.maximum(np.linalg.norm(factor, axis=1, keepdims=True), 1)


def score(W, H, i, j, symmetric):
    """w_i . h_j, or the mean of both orders."""
    forward = sum(float(a) * float(b) for a, b in zip(W[i], H[j], strict=True))
    if not symmetric:
        return forward
    backward = sum(float(a) * float(b) for a, b in zip(W[j], H[i], strict=True))
    return (forward + backward) / 2


def non_links(A, directed):
    """All pairs that are not links, in order."""
    m, n = A.shape
    square = m == n
    return [
        (i, j)
        for i in range(m)
        for j in range(n)
        if not A[i, j] and not (square and (i == j or (not directed and j < i)))
    ]


def common(A, u, v):
    """The common neighbours of u and v, without u and v."""
    return [w for w in range(len(A)) if A[u, w] and A[v, w] and w not in (u, v)]


def degree(A, u):
    """The degree as networkx counts it: a self-loop counts twice."""
    return int(sum(A[u] != 0) + (A[u, u] != 0))


def local_index(name, A, u, v):
    """A local index of networkx by its name."""
    if name == "common_neighbors":
        return float(len(common(A, u, v)))
    if name == "jaccard_coefficient":
        union = sum(1 for w in range(len(A)) if A[u, w] or A[v, w])
        return len(common(A, u, v)) / union if union else 0.0
    if name == "preferential_attachment":
        return float(degree(A, u) * degree(A, v))
    if name == "resource_allocation_index":
        return math.fsum(1 / degree(A, w) for w in common(A, u, v))
    assert name == "adamic_adar_index"
    return math.fsum(1 / math.log(degree(A, w)) for w in common(A, u, v))


def directed_index(name, A, u, v):
    """A local index of u -> v: the nodes between have a link from u and one to v."""
    n = len(A)
    out = {w for w in range(n) if A[u, w]}
    into = {w for w in range(n) if A[w, v]}
    between = (out & into) - {u, v}
    links = [sum(A[w] != 0) + sum(A[:, w] != 0) for w in range(n)]
    return {
        "common_neighbors": float(len(between)),
        "jaccard_coefficient": len(between) / len(out | into) if out | into else 0.0,
        "preferential_attachment": float(len(out) * len(into)),
        "resource_allocation_index": math.fsum(1 / links[w] for w in between),
        "adamic_adar_index": math.fsum(1 / math.log(links[w]) for w in between),
    }[name]


def katz(A, beta):
    """The sum over all powers (beta A)^t, t >= 1."""
    identity = np.eye(len(A))
    return np.linalg.inv(identity - beta * A) - identity


def svd_katz(A, beta, rank, terms=200):
    """Katz of the truncated singular value decomposition, by its power series."""
    U, S, Vt = np.linalg.svd(A)
    low = (U[:, :rank] * S[:rank]) @ Vt[:rank]
    power, total = np.eye(len(A)), np.zeros_like(low)
    for _ in range(terms):
        power = beta * power @ low
        total += power
    return total


def precision_at(positives, negatives, length, rng, orders=4000):
    """The mean precision of the first `length` over random orders of the ties."""
    scores = np.append(positives, negatives)
    truth = np.append(np.ones(len(positives)), np.zeros(len(negatives)))
    found = 0.0
    for _ in range(orders):
        order = np.lexsort((rng.random(scores.size), -scores))
        found += truth[order[:length]].sum() / length
    return found / orders


def soft_threshold(X, threshold):
    """X with its singular values lowered by the threshold, to 0 at least."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return (U * np.maximum(s - threshold, 0)) @ Vt


def convex_objective(A, X, seen, unseen, target, reg):
    """The loss of X plus reg times its nuclear norm."""
    T = np.where(A != 0, target, 0.0)
    nuclear = np.linalg.svd(X, compute_uv=False).sum()
    return (np.where(A != 0, seen, unseen) * (X - T) ** 2).sum() + reg * nuclear


def nuclear(A, seen, unseen, target, reg, steps=3000):
    """The minimiser with the nuclear norm, by plain proximal gradients."""
    X = np.zeros(A.shape)
    rate = 1 / (2 * max(seen, unseen))
    for _ in range(steps):
        before = X
        X = soft_threshold(X - rate * loss_gradient(A, X, seen, unseen, target), rate * reg)
        if np.abs(X - before).max() < 1e-13:
            break
    return X


def nuclear_in_box(A, target, reg, weight=5.0, steps=3000):
    """The minimiser within [0, 1], by the alternating direction method of multipliers."""
    T = np.where(A != 0, target, 0.0)
    Z, U = np.zeros(A.shape), np.zeros(A.shape)
    for _ in range(steps):
        X = soft_threshold((2 * T + weight * (Z - U)) / (2 + weight), reg / (2 + weight))
        Z = np.clip(X + U, 0, 1)
        U += X - Z
        if np.abs(X - Z).max() < 1e-11:
            break
    return Z


def inductive_objective(A, F, G, D, seen, unseen, target, reg, penalty):
    """The loss of F D G^T, entry by entry, and the penalty on D."""
    X = F @ D @ G.T
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total += seen * (X[i, j] - target) ** 2 if A[i, j] else unseen * X[i, j] ** 2
    if penalty == "ridge":
        return total + reg / 2 * (D**2).sum()
    return total + reg * np.linalg.svd(D, compute_uv=False).sum()


def inductive_ridge(A, F, G, seen, unseen, target, reg):
    """The best D with a ridge penalty: the normal equations of all pairs of nodes."""
    rows = np.kron(F, G)
    weights = np.where(A != 0, seen, unseen).ravel()
    targets = np.where(A != 0, target, 0.0).ravel()
    system = 2 * rows.T @ (weights[:, None] * rows) + reg * np.eye(rows.shape[1])
    D = np.linalg.solve(system, 2 * rows.T @ (weights * targets))
    return D.reshape(F.shape[1], G.shape[1])


def inductive_nuclear(A, F, G, seen, unseen, target, reg, steps=3000):
    """The best D with the nuclear norm, by many plain proximal gradient steps."""
    D = np.zeros((F.shape[1], G.shape[1]))
    curvature = 2 * max(seen, unseen) * (np.linalg.norm(F, 2) * np.linalg.norm(G, 2)) ** 2
    for _ in range(steps):
        gradient = F.T @ loss_gradient(A, F @ D @ G.T, seen, unseen, target) @ G
        D = soft_threshold(D - gradient / curvature, reg / curvature)
    return D


def inductive_ccd_sweep(A, F, G, P, Q, passes, *weights):
    """One sweep over the ranks of D = P Q^T, one coefficient of P or Q after the other."""

    def best(A, F, P, other, r, a, seen, unseen, target, reg):
        column, h = F[:, a], other[:, r]
        weight = np.where(A != 0, seen, unseen)
        rest = np.where(A != 0, target, 0.0) - F @ P @ other.T + P[a, r] * np.outer(column, h)
        curvature = 2 * column**2 @ weight @ h**2 + reg
        return 2 * column @ (weight * rest) @ h / curvature

    P, Q = P.copy(), Q.copy()
    for r in range(P.shape[1]):
        for _ in range(passes):
            for a in range(P.shape[0]):
                P[a, r] = best(A, F, P, G @ Q, r, a, *weights)
        for _ in range(passes):
            for a in range(Q.shape[0]):
                Q[a, r] = best(A.T, G, Q, F @ P, r, a, *weights)
    return P, Q


def ranks_among(positives, negatives, rng, orders=4000):
    """The number of negatives above each positive, for random orders of the ties."""
    found = np.empty((orders, len(positives)))
    for order in range(orders):
        for p, score in enumerate(positives):
            above = sum(x > score for x in negatives)
            ties = sum(x == score for x in negatives)
            found[order, p] = above + rng.integers(0, ties + 1)
    return found


def found_by_node(positives, negatives, ks):
    """One node: the expected positives among its first k, the reciprocal rank, and NDCG@k.

    A tied pair is at each place of the tie with the same chance.
    """
    everything = [*positives, *negatives]
    hits, ranks = [0.0] * len(ks), 0.0
    for score in positives:
        above = sum(x > score for x in everything)
        places = range(above, above + sum(x == score for x in everything))
        for c, k in enumerate(ks):
            hits[c] += sum(place < k for place in places) / len(places)
        above = sum(x > score for x in negatives)
        places = range(above, above + 1 + sum(x == score for x in negatives))
        ranks += sum(1 / (1 + place) for place in places) / len(places)
    truth = [True] * len(positives) + [False] * len(negatives)
    gains = [1.0] * len(ks)
    if len(everything) > 1:  # a single pair is refused
        gains = [ndcg_score([truth], [everything], k=k) for k in ks]
    return hits, ranks / len(positives), gains


def found_by_node_in_all_orders(positives, negatives, ks):
    """The same, as the mean over every order that is sorted by score."""
    pairs = [(score, True) for score in positives] + [(score, False) for score in negatives]
    hits, gains, ranks, orders = np.zeros(len(ks)), np.zeros(len(ks)), 0.0, 0
    for order in itertools.permutations(pairs):
        if any(a[0] < b[0] for a, b in itertools.pairwise(order)):
            continue
        truth = [is_positive for _, is_positive in order]
        orders += 1
        hits += [sum(truth[:k]) for k in ks]
        gains += [gain(truth[:k]) / gain(sorted(truth)[::-1][:k]) for k in ks]
        ranks += sum(1 / (1 + truth[:i].count(False)) for i, hit in enumerate(truth) if hit)
    return (hits / orders).tolist(), ranks / orders / len(positives), (gains / orders).tolist()


def gain(truth):
    """The discounted cumulative gain of a list of hits and misses."""
    return sum(1 / math.log2(place + 2) for place, hit in enumerate(truth) if hit)


def retrieval(A, hidden, scores, ks, square):
    """VCMPR@k, recall@k, NDCG@k, reciprocal rank and the number of nodes, by all pairs of rows."""
    found = []
    for u in range(A.shape[0]):
        mine = [v for v in range(A.shape[1]) if not A[u, v] and not (square and u == v)]
        positives = [scores[u, v] for v in mine if hidden[u, v]]
        negatives = [scores[u, v] for v in mine if not hidden[u, v]]
        if positives:
            found.append((len(positives), *found_by_node(positives, negatives, ks)))
    vcmpr = {
        k: math.fsum(max(hits[c] / k, hits[c] / total) for total, hits, *_ in found) / len(found)
        for c, k in enumerate(ks)
    }
    recall = {
        k: math.fsum(hits[c] / total for total, hits, *_ in found) / len(found)
        for c, k in enumerate(ks)
    }
    ndcg = {k: math.fsum(gains[c] for *_, gains in found) / len(found) for c, k in enumerate(ks)}
    rank = math.fsum(rank for *_, rank, _ in found) / len(found)
    return vcmpr, recall, ndcg, rank, len(found)


def chances_by_degree(pairs, by_row, by_column, symmetric):
    """The chance of each pair: a first node by its degree, then one of its partners by theirs."""
    both = [*pairs, *((v, u) for u, v in pairs)] if symmetric else pairs
    chances = dict.fromkeys(pairs, 0.0)
    for u, v in both:
        partners = sum(by_column[y] for x, y in both if x == u)
        chance = by_row[u] * by_column[v] / partners if partners else 0.0
        chances[(v, u) if symmetric and v < u else (u, v)] += chance
    return {pair: chance / sum(chances.values()) for pair, chance in chances.items()}


def spanning_forest(links):
    """The links, in this order, that join two parts that earlier ones have not joined."""
    parts, kept = {}, []
    for u, v in links:
        if parts.setdefault(u, {u}) is not parts.setdefault(v, {v}):
            kept.append((u, v))
            both = parts[u] | parts[v]
            parts.update(dict.fromkeys(both, both))
    return kept


def path_sums(A, degrees, u, v):
    """The five sums over paths of two and of three steps from u to v."""
    n = len(A)
    between = [x for x in range(n) if A[u, x] and A[x, v]]
    three = [
        (x, y) for x in range(n) for y in range(n) if y != u and A[u, x] and A[x, y] and A[y, v]
    ]
    return [
        len(between),
        math.fsum(1 / math.log(max(degrees[x], 2)) for x in between),
        math.fsum(1 / degrees[x] for x in between),
        math.fsum(1 / math.sqrt(degrees[x] * degrees[y]) for x, y in three),
        math.fsum(1 / (degrees[x] * degrees[y]) for x, y in three),
    ]


def path_peaks(A, degrees):
    """The largest sums over paths of three steps from each u to any v farther than two steps."""
    n = len(A)
    out = np.zeros((n, 2))
    for u in range(n):
        for v in range(n):
            found = path_sums(A, degrees, u, v)
            if u != v and not A[u, v] and found[0] == 0:
                out[u] = np.maximum(out[u], found[3:])
    return out


def two_steps(steps, links, symmetric):
    """The pairs that a path of two steps joins and that are not links."""
    n = len(steps)
    return [
        (u, v)
        for u in range(n)
        for v in range(n)
        if (u < v if symmetric else u != v)
        and not links[u, v]
        and any(steps[u, x] and steps[x, v] for x in range(n))
    ]


def labelled_loss(odds, truth, weights, seen, factor=1.0):
    """The loss of labels, where a positive is labelled with probability `seen`.

    Labelled rows count `factor` times, and q' is the chance of a label among rows so repeated.
    """
    total = 0.0
    for f, y, w in zip(odds, truth, weights, strict=True):
        q = seen / (1 + math.exp(-f))
        repeated = factor * q / (1 - q + factor * q)
        total -= w * (factor * math.log(repeated) if y else math.log(1 - repeated))
    return total


def grow_tree(bins, gradient, curvature, n_bins, rising, leaves, least_rows, penalty):
    """One tree, best split first: the value of each row, and a list of splits.

    A split is (rows of the node, column, last bin on the left).
    """

    def fitted(rows, low, high):
        g, h = gradient[rows].sum(), curvature[rows].sum() + penalty
        value = min(max(-g / h, low), high)
        return value, g * value + h * value**2 / 2

    def best_split(rows, low, high):
        best = None
        for c in range(bins.shape[1]):
            for b in range(n_bins[c] - 1):
                left, right = rows[bins[rows, c] <= b], rows[bins[rows, c] > b]
                if min(left.size, right.size) < least_rows:
                    continue
                (a, loss_a), (z, loss_z) = (fitted(side, low, high) for side in (left, right))
                if rising[c] and a > z:
                    continue
                gain = fitted(rows, low, high)[1] - loss_a - loss_z
                if gain > 1e-12 and (best is None or gain > best[0] + 1e-13):
                    best = gain, c, b, left, right, a, z
        return best

    everything = np.arange(bins.shape[0])
    tree = [(everything, -np.inf, np.inf, fitted(everything, -np.inf, np.inf)[0])]
    splits = []
    while len(tree) < leaves:
        found = [(best_split(rows, low, high), k) for k, (rows, low, high, _) in enumerate(tree)]
        found = [(split, k) for split, k in found if split is not None]
        if not found:
            break
        (_, c, b, left, right, a, z), k = max(found, key=lambda pair: pair[0][0])
        rows, low, high, _ = tree.pop(k)
        splits.append((rows.tolist(), c, b))
        middle = (a + z) / 2
        tree.append((left, low, middle if rising[c] else high, a))
        tree.append((right, middle if rising[c] else low, high, z))
    values = np.empty(bins.shape[0])
    for rows, _, _, value in tree:
        values[rows] = value
    return values, splits


def tree_odds(trees, row):
    """The log odds of one row: a walk down each tree."""
    total = trees.start
    for column, threshold, left, value in zip(*trees[:-1], strict=True):
        node = 0
        while column[node] >= 0:
            node = left[node] + (1 if row[column[node]] > threshold[node] else 0)
        total += value[node]
    return total


def sweep_memberships(links, masses, base, slopes, q):
    """Update one member after the other, with all sums formed anew."""
    q = q.copy()
    for i in range(len(q)):
        others = np.arange(len(q)) != i
        score = base[i] + links[i, others] @ q[others]
        for t in range(2):
            score = score - slopes[t] * masses[i, t] * (masses[others, t] @ q[others])
        weights = np.exp(score - score.max())
        q[i] = weights / weights.sum()
    return q


def modularity(links, labels, resolution):
    """The modularity of a partition: a sum over all pairs of nodes."""
    degrees, total = links.sum(axis=1), 0.0
    for i in range(len(links)):
        for j in range(len(links)):
            if labels[i] == labels[j]:
                total += links[i, j] - resolution * degrees[i] * degrees[j] / links.sum()
    return total / links.sum()
