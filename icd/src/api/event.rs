//! Event entry points.

use crate::callback::UserData;
use crate::convert::{handles, write_out};
use crate::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use pyroclast_runtime::event::{Event, ProfilingPoint};
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::object::ApiObject;
use std::ffi::c_void;
use std::sync::Arc;

impl HandleTarget for _cl_event {
    type Object = Event;
}

/// Passes an event to the application if it requested one.
pub(crate) fn publish_event(out: *mut cl_event, event: Arc<Event>) {
    if out.is_null() {
        Event::release(event);
    } else {
        write_out(out, cl_event::publish(event));
    }
}

entry! { fn clCreateUserEvent(context: cl_context; errcode_ret) -> cl_event {
    Ok(cl_event::publish(Event::user(&context.arc()?)))
} }

entry! { fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) -> cl_int {
    event.arc()?.set_user_status(execution_status)
} }

entry! { fn clWaitForEvents(num_events: cl_uint, event_list: *const cl_event) -> cl_int {
    if num_events == 0 || event_list.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no events"));
    }
    let events = handles(num_events, event_list, CL_INVALID_VALUE)?;
    if let Some(first) = events.first()
        && !events.iter().all(|e| Arc::ptr_eq(e.context(), first.context()))
    {
        return Err(err!(CL_INVALID_CONTEXT, "events of several contexts"));
    }
    // All queues are flushed before the first wait.
    for queue in events.iter().filter(|e| !e.is_done()).filter_map(|e| e.queue()) {
        queue.flush();
    }
    let failed = events.iter().filter(|e| e.wait() < 0).count();
    events.iter().for_each(|e| e.wait_for_callbacks());
    if failed > 0 {
        return Err(err!(
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            "{failed} of {num_events} events failed"
        ));
    }
    Ok(())
} }

entry! { fn clGetEventInfo(
    event: cl_event, param_name: cl_event_info, size: usize, value: *mut c_void, size_ret: *mut usize
) -> cl_int {
    let object = event.get()?;
    let answer: InfoValue = match param_name {
        // A command of several queues has none.
        CL_EVENT_COMMAND_QUEUE if object.spans_queues() => InfoValue::Handle(0),
        CL_EVENT_COMMAND_QUEUE => {
            object.queue().map_or(InfoValue::Handle(0), |q| cl_command_queue::of(q).into())
        }
        CL_EVENT_CONTEXT => cl_context::of(object.context()).into(),
        CL_EVENT_COMMAND_TYPE => object.command_type().into(),
        CL_EVENT_COMMAND_EXECUTION_STATUS => object.status().into(),
        CL_EVENT_REFERENCE_COUNT => event.reference_count()?.into(),
        other => return Err(info::unknown("clGetEventInfo", other)),
    };
    info::write(answer, size, value, size_ret)
} }

entry! { fn clRetainEvent(event: cl_event) -> cl_int { event.retain() } }
entry! { fn clReleaseEvent(event: cl_event) -> cl_int { event.release() } }

entry! { fn clSetEventCallback(
    event: cl_event, command_exec_callback_type: cl_int,
    pfn_notify: Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>, user_data: *mut c_void
) -> cl_int {
    let object = event.get()?;
    let Some(function) = pfn_notify else { return Err(err!(CL_INVALID_VALUE, "no callback")) };
    let (handle, user_data) = (UserData(event.cast()), UserData(user_data));
    // The handle stays valid until the callback has run.
    event.retain()?;
    let call = Box::new(move |status: cl_int| {
        let handle: cl_event = handle.get().cast();
        // SAFETY: the application's function, called with the arguments it was registered for.
        unsafe { function(handle, status, user_data.get()) };
        if let Err(error) = handle.release() {
            tracing::warn!(%error, "the event of a callback was over-released");
        }
    });
    object.set_callback(command_exec_callback_type, call).inspect_err(|_| {
        if let Err(error) = event.release() {
            tracing::warn!(%error, "the event of a refused callback");
        }
    })
} }

entry! { fn clGetEventProfilingInfo(
    event: cl_event, param_name: cl_profiling_info, size: usize, value: *mut c_void, size_ret: *mut usize
) -> cl_int {
    let object = event.get()?;
    let moment = match param_name {
        CL_PROFILING_COMMAND_QUEUED => ProfilingPoint::Queued,
        CL_PROFILING_COMMAND_SUBMIT => ProfilingPoint::Submit,
        CL_PROFILING_COMMAND_START => ProfilingPoint::Start,
        CL_PROFILING_COMMAND_END => ProfilingPoint::End,
        CL_PROFILING_COMMAND_COMPLETE => ProfilingPoint::Complete,
        other => return Err(info::unknown("clGetEventProfilingInfo", other)),
    };
    info::write(object.profiling(moment)?.into(), size, value, size_ret)
} }
