alter table users rename column mail to email;
alter table users drop column last_seen;
