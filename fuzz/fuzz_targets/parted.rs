#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| tokstream_fuzz::parted::check(data));
