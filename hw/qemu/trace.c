/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace bridge - the models' records as QEMU trace events, one event for
 * each kind.
 *
 * A QEMU event holds ten arguments at most and some records have more, so
 * the numbers travel as one text with the names of sim_trace_format[]; it
 * is only made when somebody listens.
 */
#include "qemu/osdep.h"

#include "hw/qemu/skin.h"
#include "trace.h"

static void append_value(GString *text, const char *name, int64_t value)
{
    size_t len = strlen(name);

    if (g_str_has_suffix(name, "_h")) {
        g_string_append_printf(text, " %.*s=0x%" PRIx64, (int)(len - 2),
                               name, (uint64_t)value);
    } else {
        g_string_append_printf(text, " %s=%" PRId64, name, value);
    }
}

static char *record_text(const SimTraceRecord *record)
{
    const SimTraceFormat *format = &sim_trace_format[record->kind];
    GString *text = g_string_new(record->word ?: "-");

    for (unsigned i = 0; i < SIM_TRACE_VALUES && format->field[i]; i++) {
        append_value(text, format->field[i], record->value[i]);
    }
    return g_string_free(text, false);
}

/* QEMU makes the names of an event's switches from its own name. */
#define TELL(event, EVENT) do {                                         \
        if (trace_event_get_state_backends(TRACE_##EVENT)) {            \
            g_autofree char *text = record_text(record);                \
                                                                        \
            trace_##event(opaque, record->at, text);                    \
        }                                                               \
    } while (0)

void tw_trace_record(void *opaque, const SimTraceRecord *record)
{
    switch (record->kind) {
    case SIM_TRACE_DRIVE_OP:
        TELL(tw_drive_op, TW_DRIVE_OP);
        break;
    case SIM_TRACE_DRIVE_PLUG:
        TELL(tw_drive_plug, TW_DRIVE_PLUG);
        break;
    case SIM_TRACE_UNIT_OP:
        TELL(tw_unit_op, TW_UNIT_OP);
        break;
    case SIM_TRACE_UNIT_STATE:
        TELL(tw_unit_state, TW_UNIT_STATE);
        break;
    case SIM_TRACE_COMMAND:
        TELL(tw_command, TW_COMMAND);
        break;
    case SIM_TRACE_COMPLETION:
        TELL(tw_completion, TW_COMPLETION);
        break;
    case SIM_TRACE_REFUSAL:
        TELL(tw_refusal, TW_REFUSAL);
        break;
    case SIM_TRACE_AEN:
        TELL(tw_aen, TW_AEN);
        break;
    case SIM_TRACE_AEN_READ:
        TELL(tw_aen_read, TW_AEN_READ);
        break;
    case SIM_TRACE_RESET:
        TELL(tw_reset, TW_RESET);
        break;
    case SIM_TRACE_IRQ:
        TELL(tw_irq, TW_IRQ);
        break;
    case SIM_TRACE_KINDS:
        break;
    }
}
