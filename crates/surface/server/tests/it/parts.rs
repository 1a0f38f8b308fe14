//! What single files promise, through the public API.

mod approvals;
mod mcp_agent_tools;
mod mcp_mark;
mod sdk_avd;
mod web_selectors;
