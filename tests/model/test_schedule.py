import numpy as np

from methyl_dncb.model import _run
from methyl_dncb.model._fit import fit
from methyl_dncb.model._schedule import AUTO_FEWEST, Schedule, halves_r_hat, is_settled
from methyl_dncb.model._state import Problem

RNG = np.random.default_rng(0)


def test_noise_is_stationary_and_a_climb_is_not():
    noise = RNG.normal(size=(2, 400))
    assert is_settled(noise)
    climb = noise + np.linspace(0, 20, 400)
    assert not is_settled(climb)
    assert not is_settled(np.stack([noise[0], climb[1]]))


def test_only_the_later_half_is_looked_at():
    trace = RNG.normal(size=(1, 400))
    trace[:, :200] -= 1000
    assert halves_r_hat(trace)[0] < 1.05


def test_fixed_schedules_evaluate_every_draw_and_as_often_before():
    schedule = Schedule(n_burnin=7, n_draws=3, thin=5)
    sweeps = [sweep for sweep in range(1, 23) if schedule.is_evaluated(sweep, 7)]
    assert sweeps == [2, 7, 12, 17, 22]


def small_problem():
    return Problem(RNG.random((12, 20)).astype(np.float32), 2, (0.75, 0.75))


def test_open_burnin_ends_by_the_rule_and_says_so():
    schedule = Schedule(n_burnin=None, n_draws=4, thin=3, n_chains=2)
    trace = fit(small_problem(), schedule, init="prior", seed=np.random.SeedSequence(0))
    assert trace.burnin.n_sweeps >= AUTO_FEWEST
    assert trace.burnin.stationary
    assert trace.burnin.r_hat_C.shape == (2,)
    assert (trace.burnin.r_hat_C < 1.1).all()
    assert trace.sweep_E[-4:].tolist() == [trace.burnin.n_sweeps + 3 * (d + 1) for d in range(4)]
    assert trace.sweep_E[-5] == trace.burnin.n_sweeps


def test_open_burnin_ends_at_its_most(monkeypatch):
    monkeypatch.setattr(_run, "AUTO_MOST", 120)
    schedule = Schedule(n_burnin=None, n_draws=2, thin=2)
    trace = fit(small_problem(), schedule, init="prior", seed=np.random.SeedSequence(0))
    assert trace.burnin.n_sweeps == 120


def test_a_chain_does_not_depend_on_its_neighbours():
    problem, options = small_problem(), {"init": "nmf", "n_jobs": 2}
    one = fit(problem, Schedule(10, 3, 2, 1), seed=np.random.SeedSequence(5), **options)
    three = fit(problem, Schedule(10, 3, 2, 3), seed=np.random.SeedSequence(5), **options)
    np.testing.assert_array_equal(one.log_likelihood_CE[0], three.log_likelihood_CE[0])
