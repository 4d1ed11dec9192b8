# SPDX-License-Identifier: Apache-2.0
"""Structs, enumerators and functions of include/actio/actio.h for ctypes. tools/python_abi.py makes this file."""
from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_void_p
from typing import Any

VERSION = "0.1.0"
SONAME = "libactio.so.0"

ACTIO_DONE = 0
ACTIO_WRONG_MODEL = 1
ACTIO_WRONG_USAGE = 2
ACTIO_NUMERICS_FAILED = 3
ACTIO_LIMIT_REACHED = 4
ACTIO_FILE_TROUBLE = 5
ACTIO_INTERRUPTED = 130
ACTIO_SAYS_NOTE = 0
ACTIO_SAYS_WARNING = 1
ACTIO_SAYS_ERROR = 2
ACTIO_CHANGE_PARAM = 1
ACTIO_CHANGE_START = 2
ACTIO_CHANGE_TIME = 3
ACTIO_CHANGE_WEIGHTS = 4
ACTIO_CHANGE_POTENTIAL = 5
ACTIO_CHANGE_BASE = 6
ACTIO_CHANGE_FINAL = 7
ACTIO_CHANGE_PERIOD = 8
ACTIO_CHANGE_FOLLOW = 9
ACTIO_CHANGE_TURN = 10
ACTIO_TAKES_OTHER = 0
ACTIO_TAKES_NOTHING = 1
ACTIO_TAKES_NUMBER = 2
ACTIO_TAKES_POSITIVE = 3
ACTIO_TAKES_COUNT = 4
ACTIO_TAKES_INTEGER = 5
ACTIO_TAKES_WORD = 6
ACTIO_TAKES_TEXT = 7
ACTIO_TAKES_NAMES = 8
ACTIO_TAKES_CHANGE = 9
ACTIO_INTO_NONE = 0
ACTIO_INTO_RUN = 1
ACTIO_INTO_ORBIT = 2
ACTIO_INTO_LIMITS = 3

actio_progress_callback = CFUNCTYPE(None, c_void_p, c_char_p, c_double, c_double)
actio_external_callback = CFUNCTYPE(c_int, c_void_p, c_double, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p)


class Limits(Structure):
    _fields_ = [
        ("memory", c_size_t),
        ("seconds", c_double),
        ("cancel", c_void_p),
        ("progress", actio_progress_callback),
        ("user", c_void_p),
    ]


class Message(Structure):
    _fields_ = [
        ("kind", c_int),
        ("status", c_int),
        ("code", c_char_p),
        ("file", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("length", c_uint32),
        ("quote", c_char_p),
        ("quote_skipped", c_uint32),
        ("message", c_char_p),
        ("hint", c_char_p),
    ]


class Change(Structure):
    _fields_ = [
        ("kind", c_int),
        ("text", c_char_p),
    ]


class ParamInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("value", c_double),
        ("derived", c_bool),
        ("fixed", c_bool),
    ]


class VariableInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("role", c_char_p),
        ("start", c_double),
        ("given", c_bool),
    ]


class Example(Structure):
    _fields_ = [
        ("stem", c_char_p),
        ("title", c_char_p),
        ("text", c_char_p),
    ]


class LanguageRow(Structure):
    _fields_ = [
        ("group", c_char_p),
        ("form", c_char_p),
        ("help", c_char_p),
    ]


class OptionRow(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("argument", c_char_p),
        ("fallback", c_char_p),
        ("group", c_char_p),
        ("commands", c_char_p),
        ("help", c_char_p),
        ("repeats", c_bool),
        ("kind", c_int),
        ("into", c_int),
        ("offset", c_size_t),
        ("least", c_double),
        ("most", c_double),
        ("words", c_char_p),
        ("change", c_int),
        ("owner", c_uint),
    ]


class CommandRow(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("synopsis", c_char_p),
        ("help", c_char_p),
    ]


class RunOptions(Structure):
    _fields_ = [
        ("by", c_char_p),
        ("method", c_char_p),
        ("points", c_size_t),
        ("tol", c_double),
        ("local", c_double),
        ("project", c_bool),
        ("no_compile", c_bool),
        ("grid", c_size_t),
        ("order", c_int),
        ("gradient", POINTER(c_char_p)),
        ("gradients", c_size_t),
        ("verify", c_bool),
        ("form", c_char_p),
        ("slabs", c_size_t),
        ("nodes", c_size_t),
        ("resplit", c_double),
        ("sigma", c_double),
        ("barrier", c_double),
        ("sigma_auto", c_bool),
        ("widths", c_void_p),
        ("width_count", c_size_t),
        ("closure", c_char_p),
        ("power", c_char_p),
        ("base", c_char_p),
        ("slack", c_double),
        ("multipliers", c_bool),
        ("pick", c_size_t),
        ("curves", c_bool),
    ]


class Compared(Structure):
    _fields_ = [
        ("by", c_char_p),
        ("status", c_char_p),
        ("note", c_char_p),
        ("power", c_char_p),
        ("difference", c_double),
        ("error", c_double),
        ("seconds", c_double),
        ("sigma", c_double),
    ]


class ActionOptions(Structure):
    _fields_ = [
        ("grid", c_size_t),
        ("order", c_int),
        ("form", c_char_p),
        ("sigma", c_double),
        ("barrier", c_double),
    ]


class ActionSlice(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("first", c_size_t),
        ("count", c_size_t),
        ("stride", c_size_t),
    ]


class DualActionOptions(Structure):
    _fields_ = [
        ("grid", c_size_t),
        ("order", c_int),
        ("nodes", c_size_t),
        ("closure", c_char_p),
        ("power", c_char_p),
        ("base", c_char_p),
        ("slack", c_double),
        ("multipliers", c_bool),
    ]


class OrbitOptions(Structure):
    _fields_ = [
        ("run", RunOptions),
        ("tol", c_double),
        ("method", c_char_p),
        ("find", c_size_t),
        ("follow", c_char_p),
        ("average", POINTER(c_char_p)),
        ("averages", c_size_t),
        ("loose", POINTER(c_char_p)),
        ("looses", c_size_t),
        ("guess", c_char_p),
    ]


class OrbitInfo(Structure):
    _fields_ = [
        ("period", c_double),
        ("error", c_double),
        ("residual", c_double),
        ("word", c_char_p),
        ("stability", c_char_p),
        ("method", c_char_p),
        ("components", c_size_t),
        ("multipliers", c_size_t),
        ("iterations", c_size_t),
        ("nodes", c_size_t),
    ]


class MultiplierInfo(Structure):
    _fields_ = [
        ("re", c_double),
        ("im", c_double),
        ("log_modulus", c_double),
        ("trivial", c_char_p),
    ]


class BranchInfo(Structure):
    _fields_ = [
        ("param", c_double),
        ("period", c_double),
        ("stability", c_char_p),
        ("mark", c_char_p),
    ]


class Check(Structure):
    _fields_ = [
        ("claim", c_char_p),
        ("line", c_uint32),
        ("value", c_double),
        ("expected", c_double),
        ("bound", c_double),
        ("ok", c_bool),
        ("computed", c_bool),
        ("skipped", c_bool),
        ("why", c_char_p),
    ]


class BoxRow(Structure):
    _fields_ = [
        ("text", c_char_p),
    ]


class VerdictReport(Structure):
    _fields_ = [
        ("verdict", c_char_p),
        ("text", c_char_p),
        ("json", c_char_p),
        ("but", c_char_p),
    ]


class ModeInfo(Structure):
    _fields_ = [
        ("omega", c_double),
        ("growth", c_double),
        ("period", c_double),
        ("kind", c_char_p),
    ]


class DerivedSection(Structure):
    _fields_ = [
        ("key", c_char_p),
        ("title", c_char_p),
        ("text", c_char_p),
    ]


class EventInfo(Structure):
    _fields_ = [
        ("t", c_double),
        ("value", c_double),
        ("kind", c_char_p),
        ("name", c_char_p),
        ("rule", c_char_p),
        ("row", c_size_t),
        ("error", c_double),
        ("impulse", c_double),
        ("energy", c_double),
        ("line", c_size_t),
        ("coordinates", c_size_t),
        ("place", c_void_p),
        ("before", c_void_p),
        ("after", c_void_p),
    ]


class SlopeRow(Structure):
    _fields_ = [
        ("of", c_char_p),
        ("by", c_char_p),
        ("is_param", c_bool),
        ("value", c_double),
        ("derivative", c_double),
        ("error", c_double),
    ]


class ProofInfo(Structure):
    _fields_ = [
        ("order", c_int),
        ("proved", c_size_t),
        ("unknowns", c_size_t),
        ("iterations", c_size_t),
        ("points", c_size_t * 3),
        ("action", c_double),
        ("gradient", c_double),
        ("minus", c_double),
        ("minus_multipliers", c_double),
        ("apart", c_double),
        ("started", c_double),
        ("error", c_double * 3),
        ("end", c_double * 3),
        ("rate", c_double),
        ("rate_end", c_double),
    ]


class DualInfo(Structure):
    _fields_ = [
        ("closure", c_char_p),
        ("action", c_double),
        ("hamiltonian", c_double),
        ("hamiltonian_drift", c_double),
        ("min_eigenvalue", c_double),
        ("max_dual", c_double),
        ("detector", c_double),
        ("slabs", c_size_t),
        ("elements", c_size_t),
        ("newton", c_size_t),
        ("degree", c_size_t),
    ]


class RunInfo(Structure):
    _fields_ = [
        ("by", c_char_p),
        ("method", c_char_p),
        ("tier", c_char_p),
        ("model", c_char_p),
        ("t_end", c_double),
        ("holds_until", c_double),
        ("tol", c_double),
        ("local", c_double),
        ("energy_drift", c_double),
        ("residual", c_double),
        ("worst_error", c_double),
        ("seconds", c_double),
        ("energy_less_work", c_double),
        ("work_error", c_double),
        ("steps", c_size_t),
        ("rhs", c_size_t),
        ("rejected", c_size_t),
        ("events", c_size_t),
        ("reached", c_bool),
        ("local_only", c_bool),
        ("status", c_int),
    ]


FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "actio_version": (c_char_p, []),
    "actio_version_details": (c_char_p, []),
    "actio_context_create": (c_void_p, [POINTER(Limits)]),
    "actio_context_free": (None, [c_void_p]),
    "actio_findings_create": (c_void_p, [c_void_p]),
    "actio_findings_free": (None, [c_void_p]),
    "actio_findings_count": (c_size_t, [c_void_p]),
    "actio_findings_dropped": (c_size_t, [c_void_p]),
    "actio_findings_status": (c_int, [c_void_p]),
    "actio_findings_message": (Message, [c_void_p, c_size_t]),
    "actio_model_read": (c_void_p, [c_void_p, c_char_p, POINTER(Change), c_size_t, c_void_p]),
    "actio_model_read_string": (c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(Change), c_size_t, c_void_p]),
    "actio_model_free": (None, [c_void_p]),
    "actio_model_name": (c_char_p, [c_void_p]),
    "actio_model_description": (c_char_p, [c_void_p]),
    "actio_model_claims": (c_size_t, [c_void_p]),
    "actio_model_text": (c_char_p, [c_void_p]),
    "actio_model_params": (c_size_t, [c_void_p]),
    "actio_model_param": (ParamInfo, [c_void_p, c_size_t]),
    "actio_model_set_param": (c_int, [c_void_p, c_char_p, c_double, c_void_p]),
    "actio_model_variables": (c_size_t, [c_void_p]),
    "actio_model_variable": (VariableInfo, [c_void_p, c_size_t]),
    "actio_model_helds": (c_size_t, [c_void_p]),
    "actio_model_held": (VariableInfo, [c_void_p, c_size_t]),
    "actio_model_set_start": (c_int, [c_void_p, c_char_p, c_double, c_void_p]),
    "actio_model_time": (c_bool, [c_void_p, c_void_p, c_void_p]),
    "actio_model_set_time": (c_int, [c_void_p, c_double, c_double, c_void_p]),
    "actio_model_bind": (c_int, [c_void_p, c_char_p, actio_external_callback, c_bool, c_void_p, c_void_p]),
    "actio_model_externals": (c_size_t, [c_void_p]),
    "actio_model_external": (c_char_p, [c_void_p, c_size_t, c_void_p]),
    "actio_gallery": (c_size_t, [POINTER(POINTER(Example))]),
    "actio_templates": (c_size_t, [POINTER(POINTER(Example))]),
    "actio_language": (c_size_t, [POINTER(POINTER(LanguageRow))]),
    "actio_options": (c_size_t, [POINTER(POINTER(OptionRow))]),
    "actio_option_takes": (None, [POINTER(OptionRow), c_char_p, c_size_t]),
    "actio_option_owners": (None, [POINTER(OptionRow), c_char_p, c_size_t]),
    "actio_principle_owns": (c_bool, [c_char_p, POINTER(OptionRow)]),
    "actio_commands": (c_size_t, [POINTER(POINTER(CommandRow))]),
    "actio_run_options_default": (RunOptions, []),
    "actio_principle_name": (c_char_p, [c_size_t]),
    "actio_run": (c_void_p, [c_void_p, c_void_p, POINTER(RunOptions), c_void_p]),
    "actio_flow_create": (c_void_p, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "actio_flow_free": (None, [c_void_p]),
    "actio_flow_size": (c_size_t, [c_void_p]),
    "actio_flow_name": (c_char_p, [c_void_p, c_size_t]),
    "actio_flow_start": (c_double, [c_void_p, c_void_p]),
    "actio_flow_rhs": (c_int, [c_void_p, c_double, c_void_p, c_void_p]),
    "actio_flow_differentiable": (c_bool, [c_void_p]),
    "actio_flow_jvp": (c_int, [c_void_p, c_double, c_void_p, c_void_p, c_void_p]),
    "actio_flow_jacobian": (c_int, [c_void_p, c_double, c_void_p, c_void_p]),
    "actio_flow_multipliers": (c_size_t, [c_void_p]),
    "actio_flow_multiplier_name": (c_char_p, [c_void_p, c_size_t]),
    "actio_flow_multiplier_values": (c_int, [c_void_p, c_double, c_void_p, c_void_p]),
    "actio_flow_project": (c_int, [c_void_p, c_double, c_void_p]),
    "actio_integrator_create": (c_void_p, [c_void_p, c_void_p, POINTER(RunOptions), c_void_p]),
    "actio_integrator_free": (None, [c_void_p]),
    "actio_integrator_to": (c_int, [c_void_p, c_double, c_void_p]),
    "actio_integrator_time": (c_double, [c_void_p]),
    "actio_integrator_state": (c_size_t, [c_void_p, c_void_p]),
    "actio_integrator_held": (c_size_t, [c_void_p, c_void_p]),
    "actio_integrator_held_name": (c_char_p, [c_void_p, c_size_t]),
    "actio_integrator_set_state": (c_int, [c_void_p, c_double, c_void_p, c_void_p]),
    "actio_integrator_events": (c_void_p, [c_void_p]),
    "actio_integrator_save": (c_size_t, [c_void_p, c_void_p, c_size_t]),
    "actio_integrator_restore": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "actio_compare": (c_void_p, [c_void_p, c_void_p, POINTER(RunOptions), POINTER(c_char_p), c_size_t, c_void_p]),
    "actio_comparison_rows": (c_size_t, [c_void_p]),
    "actio_comparison_row": (Compared, [c_void_p, c_size_t]),
    "actio_comparison_table": (c_void_p, [c_void_p]),
    "actio_comparison_overlay": (c_int, [c_void_p, c_void_p, c_char_p, c_char_p, c_void_p]),
    "actio_comparison_free": (None, [c_void_p]),
    "actio_action_create": (c_void_p, [c_void_p, c_void_p, POINTER(ActionOptions), c_void_p]),
    "actio_action_free": (None, [c_void_p]),
    "actio_action_size": (c_size_t, [c_void_p]),
    "actio_action_slices": (c_size_t, [c_void_p, POINTER(POINTER(ActionSlice))]),
    "actio_action_times": (c_size_t, [c_void_p, POINTER(c_void_p)]),
    "actio_action_pattern": (c_size_t, [c_void_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "actio_action_value": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_action_gradient": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_action_hessian": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_action_guess": (None, [c_void_p, c_void_p]),
    "actio_action_solve": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_dual_action_create": (c_void_p, [c_void_p, c_void_p, POINTER(DualActionOptions), c_void_p]),
    "actio_dual_action_free": (None, [c_void_p]),
    "actio_dual_action_size": (c_size_t, [c_void_p]),
    "actio_dual_action_slices": (c_size_t, [c_void_p, POINTER(POINTER(ActionSlice))]),
    "actio_dual_action_times": (c_size_t, [c_void_p, POINTER(c_void_p)]),
    "actio_dual_action_points": (c_size_t, [c_void_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "actio_dual_action_names": (c_size_t, [c_void_p, POINTER(POINTER(c_char_p)), c_void_p]),
    "actio_dual_action_pattern": (c_size_t, [c_void_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "actio_dual_action_value": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_dual_action_gradient": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_dual_action_hessian": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_dual_action_state": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "actio_dual_action_hamiltonian": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_dual_action_least": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "actio_dual_action_solve": (c_int, [c_void_p, c_void_p, c_void_p]),
    "actio_orbit_options_default": (OrbitOptions, []),
    "actio_orbit_search": (c_void_p, [c_void_p, c_void_p, POINTER(OrbitOptions), c_void_p]),
    "actio_orbits_free": (None, [c_void_p]),
    "actio_orbits_count": (c_size_t, [c_void_p]),
    "actio_orbits_info": (OrbitInfo, [c_void_p, c_size_t]),
    "actio_orbits_name": (c_char_p, [c_void_p, c_size_t]),
    "actio_orbits_point": (c_double, [c_void_p, c_size_t, c_size_t]),
    "actio_orbits_multiplier": (MultiplierInfo, [c_void_p, c_size_t, c_size_t]),
    "actio_orbits_levels": (c_size_t, [c_void_p, c_void_p]),
    "actio_orbits_level": (c_char_p, [c_void_p, c_size_t, c_void_p]),
    "actio_orbits_branch_points": (c_size_t, [c_void_p]),
    "actio_orbits_branch_point": (BranchInfo, [c_void_p, c_size_t]),
    "actio_orbits_diagram": (c_void_p, [c_void_p]),
    "actio_orbits_plot": (c_int, [c_void_p, c_void_p, c_char_p, c_char_p, c_void_p]),
    "actio_orbits_table": (c_void_p, [c_void_p, c_size_t]),
    "actio_test": (POINTER(Check), [c_void_p, c_void_p, POINTER(RunOptions), c_void_p, c_void_p]),
    "actio_check_model": (c_int, [c_void_p, c_void_p, POINTER(BoxRow), c_size_t, c_void_p, POINTER(VerdictReport)]),
    "actio_modes_find": (c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "actio_modes_free": (None, [c_void_p]),
    "actio_modes_count": (c_size_t, [c_void_p]),
    "actio_modes_all": (c_size_t, [c_void_p, c_void_p]),
    "actio_modes_info": (ModeInfo, [c_void_p, c_size_t]),
    "actio_modes_entries": (c_size_t, [c_void_p]),
    "actio_modes_name": (c_char_p, [c_void_p, c_size_t]),
    "actio_modes_shape": (c_double, [c_void_p, c_size_t, c_size_t]),
    "actio_derive": (c_void_p, [c_void_p, c_void_p, c_char_p, c_char_p, c_void_p]),
    "actio_derivation_free": (None, [c_void_p]),
    "actio_derivation_text": (c_char_p, [c_void_p]),
    "actio_derivation_sections": (c_size_t, [c_void_p]),
    "actio_derivation_section": (DerivedSection, [c_void_p, c_size_t]),
    "actio_derivation_write": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "actio_table_free": (None, [c_void_p]),
    "actio_table_rows": (c_size_t, [c_void_p]),
    "actio_table_columns": (c_size_t, [c_void_p]),
    "actio_table_name": (c_char_p, [c_void_p, c_size_t]),
    "actio_table_unit": (c_char_p, [c_void_p, c_size_t]),
    "actio_table_role": (c_char_p, [c_void_p, c_size_t]),
    "actio_table_data": (c_void_p, [c_void_p, c_size_t]),
    "actio_table_nodes": (c_size_t, [c_void_p, c_size_t]),
    "actio_table_axis": (c_char_p, [c_void_p, c_size_t]),
    "actio_table_places": (c_void_p, [c_void_p, c_size_t]),
    "actio_table_cell": (c_bool, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "actio_table_events": (c_size_t, [c_void_p]),
    "actio_table_event": (EventInfo, [c_void_p, c_size_t]),
    "actio_table_error": (c_double, [c_void_p, c_size_t]),
    "actio_table_slopes": (c_size_t, [c_void_p]),
    "actio_table_slope": (SlopeRow, [c_void_p, c_size_t]),
    "actio_table_proof": (c_bool, [c_void_p, POINTER(ProofInfo)]),
    "actio_table_dual": (c_bool, [c_void_p, POINTER(DualInfo)]),
    "actio_table_info": (RunInfo, [c_void_p]),
    "actio_table_write": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "actio_table_write_events": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "actio_table_plot": (c_int, [c_void_p, c_void_p, c_char_p, c_char_p, c_void_p]),
    "actio_table_animate": (c_int, [c_void_p, c_void_p, c_char_p, c_char_p, c_void_p]),
    "actio_model_drawable": (c_int, [c_void_p, c_void_p, c_char_p, c_bool, c_void_p]),
    "actio_can_write": (c_bool, [c_char_p, c_bool]),
    "actio_table_json": (c_char_p, [c_void_p]),
}

STRUCTS: dict[str, type[ctypes.Structure]] = {
    "actio_limits": Limits,
    "actio_message": Message,
    "actio_change": Change,
    "actio_param_info": ParamInfo,
    "actio_variable_info": VariableInfo,
    "actio_example": Example,
    "actio_language_row": LanguageRow,
    "actio_option_row": OptionRow,
    "actio_command_row": CommandRow,
    "actio_run_options": RunOptions,
    "actio_compared": Compared,
    "actio_action_options": ActionOptions,
    "actio_action_slice": ActionSlice,
    "actio_dual_action_options": DualActionOptions,
    "actio_orbit_options": OrbitOptions,
    "actio_orbit_info": OrbitInfo,
    "actio_multiplier_info": MultiplierInfo,
    "actio_branch_info": BranchInfo,
    "actio_check": Check,
    "actio_box_row": BoxRow,
    "actio_verdict_report": VerdictReport,
    "actio_mode_info": ModeInfo,
    "actio_derived_section": DerivedSection,
    "actio_event_info": EventInfo,
    "actio_slope_row": SlopeRow,
    "actio_proof_info": ProofInfo,
    "actio_dual_info": DualInfo,
    "actio_run_info": RunInfo,
}
