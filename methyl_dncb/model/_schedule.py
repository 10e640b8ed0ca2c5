"""How long chains run, and when a burn-in of no fixed length is over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# The rule for a burn-in of no fixed length; see `is_settled`.
AUTO_SPACING = 10  # sweeps from one log likelihood to the next
AUTO_EVERY = 50  # sweeps from one check to the next
AUTO_FEWEST = 200
AUTO_MOST = 5000
AUTO_R_HAT = 1.1


@dataclass(frozen=True, slots=True)
class Schedule:
    """Burn-in, then `n_draws` draws `thin` sweeps apart, in `n_chains` chains that advance together.

    With `n_burnin=None` the burn-in lasts until `is_settled`, and AUTO_MOST sweeps at most.
    """

    n_burnin: int | None = 1000
    n_draws: int = 100
    thin: int = 20
    n_chains: int = 1

    @property
    def most_sweeps(self) -> int:
        """Sweeps of one chain, or their upper bound."""
        return (AUTO_MOST if self.n_burnin is None else self.n_burnin) + self.n_draws * self.thin

    def is_evaluated(self, sweep: int, n_burnin: int | None) -> bool:
        """Whether the log likelihood is taken after this sweep (counted from 1).

        `n_burnin` is None for as long as the end of the burn-in is open.
        """
        if n_burnin is None or (self.n_burnin is None and sweep <= n_burnin):
            return sweep % AUTO_SPACING == 0
        return (sweep - n_burnin) % self.thin == 0

    def may_settle(self, sweep: int) -> bool:
        """Whether an open burn-in is looked at after this sweep."""
        return self.n_burnin is None and sweep >= AUTO_FEWEST and sweep % AUTO_EVERY == 0


def halves_r_hat(log_likelihood_CE: np.ndarray) -> np.ndarray:
    """R-hat of the two halves of each chain's later half: how far its level still moves, against its spread."""
    n = log_likelihood_CE.shape[1] // 4
    halves = log_likelihood_CE[:, -2 * n :].reshape(-1, 2, n)
    within = halves.var(axis=2, ddof=1).mean(axis=1)
    between = halves.mean(axis=2).var(axis=1, ddof=1)
    return np.sqrt((n - 1) / n + between / np.maximum(within, np.finfo(float).tiny))


def is_settled(log_likelihood_CE: np.ndarray) -> bool:
    """Whether the log likelihoods of all chains are stationary: R-hat of `halves_r_hat` below AUTO_R_HAT in each."""
    return bool((halves_r_hat(log_likelihood_CE) < AUTO_R_HAT).all())
